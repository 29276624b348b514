import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const script = `
import { createRequire } from "node:module";
const room = await import(process.argv[1]);
const loaded = () => Object.keys(createRequire(process.argv[1]).cache).filter((path) => /@aws-sdk|@smithy/.test(path)).length;
const before = loaded();
await room.createClusterToken({ get: async () => ({ accessKeyId: "a", secretAccessKey: { reveal: () => "s" }, expiresAtMs: 0 }) }, { cluster: "c", region: "r" });
console.log(JSON.stringify({ before, after: loaded() > 0 }));
`;

test("M020 the SDK is not loaded before it is needed", async () => {
  const room = join(import.meta.dirname, "index.ts");
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", script, room]);
  expect(JSON.parse(stdout)).toEqual({ before: 0, after: true });
});
