export { openTranscript } from "../../sdk/internal.ts";
