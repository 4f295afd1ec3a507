/** The program of the daemon's worker threads, which run handlers. */
import { runWorker } from "../../daemon/internal.ts";

void runWorker();
