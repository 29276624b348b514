import { Secret } from "@cloudwright/platform";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parseState } from "../../reading/state.ts";
import { readAllFiles } from "../../testing/read-all-files.ts";
import { createTestDirectory, findTestEngines, openTestTerraform } from "../../testing/test-terraform.ts";
import { getValue } from "../command-report.ts";
import { identifyBackend, type Backend } from "./backend.ts";
import { createBackend, type BackendSettings } from "./create-backend.ts";

const secret = new Secret("canary-4711-canary");
const s3 = { type: "s3", bucket: "states", key: "a/b.tfstate", region: "eu-central-1" } as const;
const gcs = { type: "gcs", bucket: "states", prefix: "a/b" } as const;
const azurerm = { type: "azurerm", storageAccount: "states", container: "states", key: "a/b.tfstate" } as const;
const pg = { type: "pg", host: "db.example.org", database: "terraform", user: "terraform", schema: "network_main" } as const;
const full: readonly BackendSettings[] = [
  { ...s3, kmsKeyId: "alias/states", roleArn: "arn:aws:iam::123456789012:role/states" },
  {
    ...s3,
    lock: { dynamodbTable: "locks" },
    credentials: { accessKeyId: "AKIA", secretAccessKey: secret, sessionToken: secret },
  },
  {
    ...gcs,
    credentials: secret,
    impersonateServiceAccount: "a@b.iam.gserviceaccount.com",
    kmsKey: "projects/p/locations/l/keyRings/r/cryptoKeys/k",
  },
  { ...azurerm, accessKey: secret, environment: "public" },
  { ...azurerm, resourceGroup: "states", subscriptionId: "00000000-0000-0000-0000-000000000000" },
  { ...pg, password: secret },
];

test("M065 secrets are never in the settings or plain variables, and locking is always enabled", () => {
  for (const settings of full) {
    const backend = createBackend(settings);
    expect(JSON.stringify([backend, backend.settings, backend.environment])).not.toContain("canary");
  }
  expect(createBackend(s3).settings).toEqual({
    bucket: "states",
    key: "a/b.tfstate",
    region: "eu-central-1",
    encrypt: true,
    use_lockfile: true,
  });
  expect(createBackend({ ...s3, lock: { dynamodbTable: "locks" } }).settings).toMatchObject({ dynamodb_table: "locks" });
  expect(createBackend(azurerm).settings).toMatchObject({ use_azuread_auth: true });
  expect(createBackend(pg).environment).toMatchObject({ PGSSLMODE: "verify-full", PGPORT: "5432" });
});

test("M065 the fault for a setting that would be misread names the setting", () => {
  const refused: readonly (readonly [object, string])[] = [
    [{ ...s3, bucket: "States" }, "bucket"],
    [{ ...s3, key: "../other" }, "key"],
    [{ ...s3, key: "/a" }, "key"],
    [{ ...s3, key: undefined }, "key"],
    [{ ...s3, region: "" }, "region"],
    [{ ...s3, lock: { dynamodbTable: "a b" } }, "dynamodbTable"],
    [{ ...s3, endpoint: "https://user:password@host" }, "endpoint"],
    [{ ...s3, roleArn: "me" }, "roleArn"],
    [{ ...gcs, prefix: "a/../b" }, "prefix"],
    [{ ...gcs, bucket: 5 }, "bucket"],
    [{ ...gcs, impersonateServiceAccount: "me" }, "impersonateServiceAccount"],
    [{ ...azurerm, storageAccount: "My-States" }, "storageAccount"],
    [{ ...azurerm, container: "a" }, "container"],
    [{ ...azurerm, subscriptionId: "none" }, "subscriptionId"],
    [{ ...pg, host: "a b" }, "host"],
    [{ ...pg, port: 0 }, "port"],
    [{ ...pg, schema: "a;drop" }, "schema"],
    [{ ...pg, sslMode: "prefer" }, "sslMode"],
  ];
  for (const [settings, field] of refused) {
    const create = () => createBackend(settings as BackendSettings);
    expect(create).toThrow(
      expect.objectContaining({ code: "terraform.bad_backend", fields: [expect.objectContaining({ field })] }),
    );
  }
  const broken = { ...s3, credentials: { accessKeyId: "a\nprofile = b", secretAccessKey: secret } } as const;
  for (const settings of [broken, { type: "consul" }, {}] as BackendSettings[]) {
    expect(() => createBackend(settings)).toThrow(expect.objectContaining({ code: "terraform.bad_backend" }));
  }
});

test("M065 a state is identified by everything that locates it, but not by secrets", () => {
  const one = (settings: BackendSettings) => identifyBackend(createBackend(settings));
  const all = [s3, { ...s3, key: "c" }, gcs, azurerm, pg, { ...pg, schema: "c" }, { ...pg, database: "c" }] as const;
  expect(new Set(all.map((settings) => one(settings))).size).toBe(all.length);
  expect(one({ ...pg, password: secret })).toBe(one({ ...pg, password: new Secret("other") }));
  const http = (address: string) => createBackend({ type: "http", address, username: "u", password: secret });
  expect(identifyBackend(http("http://a/1"))).not.toBe(identifyBackend(http("http://b/1")));
  expect(identifyBackend(http("http://a/1"), { anyHost: true })).toBe(identifyBackend(http("http://b/1"), { anyHost: true }));
  expect(identifyBackend(http("http://a/1"), { anyHost: true })).not.toBe(identifyBackend(http("http://a/2"), { anyHost: true }));
});

test("M065 a variable that both the run and the backend set is rejected", () => {
  const binary = { product: "terraform", version: "1.9.0", path: "/none" } as const;
  const backend = createBackend({ ...azurerm, accessKey: secret });
  const open = () =>
    openTestTerraform(binary, "", { backend, secretEnvironment: { ARM_ACCESS_KEY: new Secret("the account's") } });
  expect(open).toThrow(expect.objectContaining({ code: "terraform.bad_option" }));
});

describe.each(findTestEngines())("with $name", ({ binary, skip }) => {
  describe.skipIf(skip)("on this machine", () => {
    test("M074 a backend without a dedicated type is configured by its settings", async () => {
      const path = join(createTestDirectory(), "elsewhere.tfstate");
      const backend: Backend = { type: "local", settings: { path } };
      const terraform = openTestTerraform(binary, 'resource "terraform_data" "a" {}', { backend });
      getValue(await terraform.init());
      getValue(await terraform.apply(getValue(await terraform.plan()).id));
      expect(parseState(readFileSync(path, "utf8")).resources).toMatchObject([{ address: "terraform_data.a" }]);
    });

    test("M065 every backend uses only settings that the program supports", async () => {
      for (const settings of full) {
        const terraform = openTestTerraform(binary, 'resource "terraform_data" "a" {}', { backend: createBackend(settings) });
        getValue(await terraform.init({ backend: false }));
        expect(getValue(await terraform.validate())).toEqual([]);
        // Backends check their settings before sending any request.
        const unknown = { ...createBackend(settings), settings: { ...createBackend(settings).settings, no_such_setting: 1 } };
        const broken = openTestTerraform(binary, "", { backend: unknown });
        const outcome = await broken.init();
        expect(outcome).toMatchObject({ fault: { code: "terraform.bad_configuration" } });
        expect(outcome.report.diagnostics.filter(({ severity }) => severity === "error")).toHaveLength(1);
        const holding = [...readAllFiles(broken.directory)].filter(([, bytes]) => bytes.includes("canary"));
        expect(holding.filter(([path]) => !path.includes("/backend-files/"))).toEqual([]);
      }
    });
  });
});
