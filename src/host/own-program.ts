import { fileURLToPath } from "node:url";

/** The command line program of this package. Beside the door, because the door is bundled into one file. */
export const ownProgram: string = fileURLToPath(new URL("../cli/bin.cjs", import.meta.url));
