/** The program of the daemon's worker threads, which run handlers. */
import { answerCalls } from "../../daemon/internal.ts";

await answerCalls();
