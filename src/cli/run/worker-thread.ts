/** The thread of the daemon that runs handlers. */
import { answerCalls } from "../../daemon/internal.ts";

await answerCalls();
