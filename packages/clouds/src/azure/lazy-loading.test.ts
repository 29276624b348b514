import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const script = `
import { registerHooks } from "node:module";
const loaded = new Set();
registerHooks({
  resolve(specifier, context, next) {
    if (/^(@azure|@aws-sdk|google-auth-library)/.test(specifier)) loaded.add(specifier);
    return next(specifier, context);
  },
});
const { createAzure } = await import(process.argv[1]);
const options = { subscriptionId: "s", resourceGroup: "g", location: "eastus", accessToken: "t" };
const azure = createAzure({ ...options, endpoints: { resourceManager: "https://localhost:1" }, maxAttempts: 1 });
const before = [...loaded];
const failure = await azure.clusters.list().catch((error) => error.code);
console.log(JSON.stringify({ before, failure, hasPipeline: loaded.has("@azure/core-rest-pipeline"), hasIdentity: loaded.has("@azure/identity") }));
`;

test("M020 the Azure library loads an SDK on the first call, and the SDK for signing in only if it signs in", async () => {
  const file = join(import.meta.dirname, "create-azure.ts");
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", script, file]);
  expect(JSON.parse(stdout)).toEqual({ before: [], failure: "clouds.unreachable", hasPipeline: true, hasIdentity: false });
});
