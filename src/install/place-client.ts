import { messageOf } from "../protocol/index.ts";
import { formAt, putInPlace, shippedClient, takeOutOfPlace } from "./client-in-place.ts";
import type { Compiled } from "./compile-client.ts";
import type { ClientForm } from "./compiled-client.ts";
import { isInGit, isOwnCopy, type ProjectPackage, whyNotInPlace } from "./own-copy.ts";

/** Which client the entries come to. */
export interface ClientUse {
  readonly form: ClientForm;
  /** Why it is the script. */
  readonly why?: string;
  /** Why a script stands before the compiled one. */
  readonly behindScript?: string;
  /** Only now the compiled one was put where the entries name it. */
  readonly isPlaced?: true;
}

export interface Placing extends ProjectPackage {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly dryRun: boolean;
}

/**
 * Entries of a project name the client by its place in the package, for everybody. Here the compiled one is put there, where that may
 * be; where it may not, the script goes back. Contract: never throws; whatever comes in between, a client is there.
 */
export async function placeClient(made: Compiled, placing: Placing): Promise<ClientUse> {
  try {
    const why = await whyScript(made, placing);
    if (why !== undefined) {
      if (!placing.dryRun && (await isOwnCopy(placing))) await takeOutOfPlace(placing.packageRoot);
      return "why" in made ? { form: "script", why } : { form: "compiled", behindScript: why };
    }
    const isPlaced = "program" in made && !placing.dryRun && (await putInPlace(made.program, placing.packageRoot));
    return { form: "compiled", ...(isPlaced ? { isPlaced } : {}) };
  } catch (error) {
    const why = messageOf(error);
    return "why" in made ? { form: "script", why: made.why } : { form: "compiled", behindScript: why };
  }
}

/** Undefined when the program may lie there, or lies there and there is no other. */
async function whyScript(made: Compiled, placing: Placing): Promise<string | undefined> {
  const told = placing.env["HOOKLINE_CLIENT"] === "script";
  if ("why" in made && (told || formAt(shippedClient(placing.packageRoot)) !== "program")) return made.why;
  const why = await whyNotInPlace(placing);
  if (why !== undefined) return why;
  return (await isInGit(placing, placing.env)) ? "git has the package's files" : undefined;
}
