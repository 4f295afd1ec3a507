import type { TestProject } from "vitest/node";
import { isMissing } from "../required.ts";
import { findClient } from "./install.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** Path of Claude Code's binary; empty where it is not available. */
    client: string;
  }
}

export default async function setup(project: TestProject): Promise<void> {
  const client = await findClient();
  const problem = "missing" in client ? client.missing : undefined;
  isMissing("interop", problem);
  project.provide("client", "path" in client ? client.path : "");
}
