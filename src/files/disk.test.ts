import { expect, test } from "vitest";
import { closeAfter } from "./disk.ts";

test("a file is closed when its work fails, and the error of the work is the one that is thrown", async () => {
  let closed = 0;
  const close = async () => {
    closed += 1;
    throw new Error("close");
  };
  const work = async () => {
    throw new Error("work");
  };
  await expect(closeAfter({ close }, work)).rejects.toThrow("work");
  await expect(closeAfter({ close }, async () => 1)).rejects.toThrow("close");
  expect(closed).toBe(2);
});
