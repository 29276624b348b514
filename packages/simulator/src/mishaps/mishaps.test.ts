import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createFileMishaps } from "./file-mishaps.ts";
import { createMemoryMishaps } from "./memory-mishaps.ts";

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "mishaps-"));
});

afterEach(() => {
  rmSync(folder, { recursive: true });
});

describe.each([
  ["in memory", () => createMemoryMishaps()],
  ["in a file", () => createFileMishaps(join(folder, "mishaps.json"))],
])("%s", (_name, open) => {
  const create = { tenant: "t", operation: "create", type: "thing" } as const;

  test("nothing goes wrong unless it was planned", async () => {
    expect(await open().take(create)).toBeUndefined();
  });

  test("it goes wrong at the stated call and as often as stated", async () => {
    const mishaps = open();
    await mishaps.add({ kind: "error", message: "no", operation: "create", type: "thing", nth: 2, times: 2 });
    const taken = [];
    for (let call = 0; call < 5; call++) taken.push((await mishaps.take(create))?.kind);
    expect(taken).toEqual([undefined, "error", "error", undefined, undefined]);
    expect(await mishaps.list()).toMatchObject([{ seen: 5, mishap: { message: "no" } }]);
  });

  test("calls of other types, operations and tenants neither fail nor count", async () => {
    const mishaps = open();
    await mishaps.add({ kind: "crash", operation: "create", type: "thing", tenant: "t" });
    expect(await mishaps.take({ ...create, type: "other" })).toBeUndefined();
    expect(await mishaps.take({ ...create, operation: "update" })).toBeUndefined();
    expect(await mishaps.take({ ...create, tenant: "u" })).toBeUndefined();
    expect(await mishaps.take(create)).toMatchObject({ kind: "crash" });
  });

  test("what was planned can be called off", async () => {
    const mishaps = open();
    await mishaps.add({ kind: "crash", operation: "create" });
    await mishaps.clear();
    expect(await mishaps.take(create)).toBeUndefined();
  });
});

test("a file's count is one for all who share it", async () => {
  const file = join(folder, "mishaps.json");
  await createFileMishaps(file).add({ kind: "crash", operation: "start", nth: 3 });
  const call = { tenant: "t", operation: "start" } as const;
  const taken = [];
  for (let process = 0; process < 4; process++) taken.push((await createFileMishaps(file).take(call))?.kind);
  expect(taken).toEqual([undefined, undefined, "crash", undefined]);
});
