import { requireTool, Secret } from "@cloudwright/platform";
import { describe, expect, test } from "vitest";
import { startMotoServer } from "../../testing/moto-server.ts";
import { readAllFiles } from "../../testing/read-all-files.ts";
import { findTestEngines, openTestTerraform } from "../../testing/test-terraform.ts";
import { getValue } from "../command-report.ts";
import { createBackend } from "./create-backend.ts";

const probe = requireTool("moto_server");
if (!probe.found) console.log(`skipped: ${probe.reason}`);
const canary = "canary/4711+canaryCANARYcanary4711canary";
const main = 'resource "terraform_data" "a" { input = 1 }';
const table = { TableName: "locks", KeySchema: [{ AttributeName: "LockID", KeyType: "HASH" }] };
const attributes = { AttributeDefinitions: [{ AttributeName: "LockID", AttributeType: "S" }], BillingMode: "PAY_PER_REQUEST" };
// Has the format that Terraform and OpenTofu write, because OpenTofu's force-unlock compares the whole text.
const holder = JSON.stringify({
  ID: "11111111-2222-3333-4444-555555555555",
  Operation: "OperationTypeApply",
  Info: "",
  Who: "somebody",
  Version: "1.9.0",
  Created: "2026-01-01T00:00:00Z",
  Path: "states-a/net/main.tfstate",
});

describe.each(findTestEngines())("with $name", ({ binary, skip }) => {
  describe.skipIf(skip || !probe.found).each(["lockfile", "table"] as const)("on this machine, locked by a %s", (kind) => {
    test("M065 X030 a state in S3 is locked, saved and unlocked, and its credentials reach neither permanent files nor the providers", async () => {
      const moto = await startMotoServer(probe.found ? probe.path : "");
      const dynamo = (action: string, body: object) =>
        moto.call("POST", "/", { target: `DynamoDB_20120810.${action}`, body: JSON.stringify(body) });
      expect(await moto.call("PUT", "/states-a")).toMatchObject({ status: 200 });
      expect(await dynamo("CreateTable", { ...table, ...attributes })).toMatchObject({ status: 200 });
      const backend = createBackend({
        type: "s3",
        bucket: "states-a",
        key: "net/main.tfstate",
        region: "us-east-1",
        endpoint: moto.address,
        lock: kind === "lockfile" ? "lockfile" : { dynamodbTable: "locks" },
        credentials: { accessKeyId: "AKIASTATE", secretAccessKey: new Secret(canary) },
      });
      const secretEnvironment = {
        AWS_ACCESS_KEY_ID: new Secret("AKIAPROVIDER"),
        AWS_SECRET_ACCESS_KEY: new Secret("canary-of-the-account"),
      };
      const terraform = openTestTerraform(binary, main, { backend, secretEnvironment, lockTimeoutSeconds: 0 });
      getValue(await terraform.init());
      getValue(await terraform.apply(getValue(await terraform.plan()).id));
      const stored = await moto.call("GET", "/states-a/net/main.tfstate");
      expect(JSON.parse(stored.body)).toMatchObject({ resources: [{ type: "terraform_data" }] });
      getValue(await terraform.plan());

      const lock =
        kind === "lockfile"
          ? () => moto.call("PUT", "/states-a/net/main.tfstate.tflock", { body: holder })
          : () =>
              dynamo("PutItem", {
                TableName: "locks",
                Item: { LockID: { S: "states-a/net/main.tfstate" }, Info: { S: holder } },
              });
      expect(await lock()).toMatchObject({ status: 200 });
      expect(await terraform.plan()).toMatchObject({ outcome: "failed", fault: { code: "terraform.state_locked" } });
      getValue(await terraform.forceUnlock("11111111-2222-3333-4444-555555555555"));
      expect(getValue(await terraform.plan())).toMatchObject({ hasChanges: false });

      expect([...moto.keyIds]).toEqual(["AKIASTATE"]);
      const holding = [...readAllFiles(terraform.directory)]
        .filter(([, bytes]) => bytes.includes("canary"))
        .map(([path]) => path);
      expect(holding.map((path) => path.slice(terraform.directory.length))).toEqual([
        "/.cloudwright/backend-files/AWS_SHARED_CREDENTIALS_FILE",
      ]);
      expect([...readAllFiles(terraform.directory).keys()].some((path) => path.endsWith(".tfplan!tfplan"))).toBe(true);
    });
  });
});
