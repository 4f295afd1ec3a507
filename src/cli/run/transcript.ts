export { openTranscript } from "../../sdk/index.ts";
