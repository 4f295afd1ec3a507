/** The thread of the daemon that runs handlers. */
import { answerCalls } from "../../daemon/index.ts";

await answerCalls();
