import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createFileFaults } from "./file-faults.ts";
import { createMemoryFaults } from "./memory-faults.ts";

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "faults-"));
});

afterEach(() => {
  rmSync(folder, { recursive: true });
});

describe.each([
  ["in memory", () => createMemoryFaults()],
  ["in a file", () => createFileFaults(join(folder, "faults.json"))],
])("%s", (_name, open) => {
  const create = { tenant: "t", operation: "create", type: "thing" } as const;

  test("no call fails unless a fault was planned", async () => {
    expect(await open().take(create)).toBeUndefined();
  });

  test("a fault affects the planned call and as many calls as planned", async () => {
    const faults = open();
    await faults.add({ kind: "error", message: "no", operation: "create", type: "thing", nth: 2, times: 2 });
    const taken = [];
    for (let call = 0; call < 5; call++) taken.push((await faults.take(create))?.kind);
    expect(taken).toEqual([undefined, "error", "error", undefined, undefined]);
    expect(await faults.list()).toMatchObject([{ seen: 5, fault: { message: "no" } }]);
  });

  test("calls of other types, operations and tenants neither fail nor count", async () => {
    const faults = open();
    await faults.add({ kind: "crash", operation: "create", type: "thing", tenant: "t" });
    expect(await faults.take({ ...create, type: "other" })).toBeUndefined();
    expect(await faults.take({ ...create, operation: "update" })).toBeUndefined();
    expect(await faults.take({ ...create, tenant: "u" })).toBeUndefined();
    expect(await faults.take(create)).toMatchObject({ kind: "crash" });
  });

  test("planned faults can be removed", async () => {
    const faults = open();
    await faults.add({ kind: "crash", operation: "create" });
    await faults.clear();
    expect(await faults.take(create)).toBeUndefined();
  });
});

test("all processes that share a file share its count", async () => {
  const file = join(folder, "faults.json");
  await createFileFaults(file).add({ kind: "crash", operation: "start", nth: 3 });
  const call = { tenant: "t", operation: "start" } as const;
  const taken = [];
  for (let process = 0; process < 4; process++) taken.push((await createFileFaults(file).take(call))?.kind);
  expect(taken).toEqual([undefined, undefined, "crash", undefined]);
});
