import { spawn } from "node:child_process";
import { once } from "node:events";
import { onTestFinished } from "vitest";
import { type CheckoutWorld, checkoutWorld, hooksOn } from "../../src/engine/fixtures/checkout.ts";
import { reviewTrust } from "../../src/engine/internal.ts";

export async function approved(command: string, path: string, text: string): Promise<CheckoutWorld> {
  const world = await checkoutWorld();
  await world.put(`project/${path}`, text);
  await world.put("project/.claude/settings.json", hooksOn("Stop", command));
  const review = await reviewTrust(world.options);
  await review.pin(review.entries);
  return world;
}

/** A process that puts one text and the other in a file's place, as fast as it can. */
export function flip(file: string, good: string, bad: string): void {
  const program = `const fs = require("fs");
    const [file, ...texts] = process.argv.slice(1);
    for (let i = 0; ; i++) { fs.writeFileSync(file + ".next", texts[i % 2]); fs.renameSync(file + ".next", file); }`;
  inBackground([program, file, good, bad]);
}

export function inBackground(args: readonly string[]): void {
  const child = spawn(process.execPath, ["-e", ...args], { stdio: "ignore" });
  onTestFinished(async () => {
    const gone = once(child, "exit");
    child.kill("SIGKILL");
    await gone;
  });
}
