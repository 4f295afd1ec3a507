import type { Processes } from "./process-list.ts";

export const signal: Processes["signal"] = (pid, name) => {
  try {
    process.kill(pid, name);
    return "sent";
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM" ? "not-permitted" : "gone";
  }
};
