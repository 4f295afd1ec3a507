import type { ClientForm } from "../../install/index.ts";

/** Which client entries come to. Starting a script first takes longer than the compiled client itself. */
export function clientLabel(form: ClientForm, behindScript = false): string {
  return form === "compiled" && behindScript ? "compiled, which a script starts" : form;
}
