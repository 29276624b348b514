import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const script = `
import { createRequire } from "node:module";
const clouds = await import(process.argv[1]);
const loaded = () => Object.keys(createRequire(process.argv[1]).cache).filter((path) => /@aws-sdk|@smithy/.test(path)).length;
const google = () => Object.keys(createRequire(process.argv[1]).cache).filter((path) => /google-auth-library|gaxios/.test(path)).length;
const before = loaded() + google();
clouds.createAws({ region: "us-east-1", accessKeyId: "a", secretAccessKey: "s" });
clouds.createGcp({ projectId: "p", accessToken: "t" });
const library = loaded() + google();
clouds.createProvider("gcp").openAccount({ account: "a", spec: {}, region: "r", session: "s", openCredentials: async () => ({ reveal: () => ({}) }) });
const openCredentials = async () => ({ reveal: () => ({ aws: { accessKeyId: "a", secretAccessKey: "s" } }) });
const account = clouds.createProvider("aws").openAccount({ account: "a", spec: {}, region: "r", session: "s", openCredentials });
await (await account.openCluster({ name: "c", region: "r", endpoint: "", caPem: "" })).token();
console.log(JSON.stringify({ before, library, after: loaded() > 0, google: google() }));
`;

test("M020 the SDK is loaded on first use", async () => {
  const index = join(import.meta.dirname, "index.ts");
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", script, index]);
  expect(JSON.parse(stdout)).toEqual({ before: 0, library: 0, after: true, google: 0 });
});
