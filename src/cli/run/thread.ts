/** The thread of the daemon that runs handlers. */
import { answerCalls } from "../../daemon/index.ts";
import { openTranscript } from "./transcript.ts";

await answerCalls({ openTranscript });
