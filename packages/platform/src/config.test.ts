import { expect, test } from "vitest";
import { readServerConfig } from "./config.ts";

test("X032 the approval deadline can be configured in common time units", () => {
  const read = (text?: string): number => readServerConfig({ CLOUDWRIGHT_APPROVAL_TTL: text }).approvalTtlMs;
  expect([read(), read("90m"), read("7d")]).toEqual([86_400_000, 5_400_000, 604_800_000]);
  for (const text of ["0h", "24", "1w", "-1h", "1e9h"]) {
    expect(() => read(text)).toThrow(expect.objectContaining({ code: "platform.bad_configuration" }));
  }
});
