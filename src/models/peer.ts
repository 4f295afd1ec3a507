import { missingPackage } from "../protocol/index.ts";

/** Loads an optional package, or says which one to install. `load` is the `import()` itself, so that its types are the package's. */
export async function loadPeer<Package>(name: string, needed: string, load: () => Promise<Package>): Promise<Package> {
  try {
    return await load();
  } catch (cause) {
    throw missingPackage(name, needed, cause);
  }
}
