import { closestName, isObject, missingPackageProblem, Problem } from "../protocol/internal.ts";

/** Refuses what a port would ignore: an address or a key in an option that does not exist would send requests elsewhere. */
export function checkPortOptions(
  of: string,
  given: unknown,
  names: readonly string[],
  needed: readonly string[] = [],
): void {
  if (!isObject(given)) throw bad(`The options of ${of} are an object, not ${String(given)}.`);
  for (const name of Object.keys(given)) {
    if (names.includes(name)) continue;
    const near = closestName(name, names);
    const hint = near === undefined ? "Key and address come from env." : `Did you mean ${near}?`;
    throw bad(`${of} has no option "${name}". ${hint}`, name);
  }
  for (const name of ["model", "smallModel"]) {
    const value = given[name];
    if ((value !== undefined || needed.includes(name)) && typeof value !== "string")
      throw bad(`The option ${name} of ${of} is the name of a model, not ${String(value)}.`, name);
  }
}

function bad(message: string, option?: string): Problem {
  return new Problem("models/bad-option", message, { about: { option } });
}

/** Loads an optional package, or says which one to install. `load` is the `import()` itself, so that its types are the package's. */
export async function loadPackage<Package>(
  name: string,
  needed: string,
  load: () => Promise<Package>,
): Promise<Package> {
  try {
    return await load();
  } catch (cause) {
    throw missingPackageProblem(name, needed, cause);
  }
}
