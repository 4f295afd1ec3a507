/** Keeps files with secrets as they are: writing to them is denied, printing them is asked about. */
import { ask, type Blueprint, blueprint, deny } from "hookline/sdk";

export interface ProtectSecretsOptions {
  /** Ends of file names. */
  readonly names?: readonly string[];
}

export function protectSecrets({ names = [".env", ".pem", "id_rsa"] }: ProtectSecretsOptions = {}): Blueprint {
  const isSecret = (path: string) => names.some((name) => path.endsWith(name));
  const part = blueprint("protect-secrets");
  part.preTool(["Write", "Edit"], { recheck: true, onFailure: "block" }, ({ input }) =>
    isSecret(input.file_path) ? deny(`${input.file_path} holds secrets and stays as it is.`) : undefined,
  );
  part.preTool("Read", { recheck: true }, ({ input }) =>
    isSecret(input.file_path) ? ask(`${input.file_path} holds secrets. Show them to the model?`) : undefined,
  );
  return part;
}
