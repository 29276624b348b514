import { renderPlainLocation } from "@cloudwright/contract";
import { Secret } from "@cloudwright/platform";
import { expect, test } from "vitest";
import type { OpenedBackend } from "../../task.ts";
import { createExternalBackend, findExternalBackend } from "./external-backend.ts";

const entity = { kind: "Network", uid: "0199a000-0000-7000-8000-000000000001" } as const;

const agentSecrets = Object.fromEntries(
  [
    "AWS_ACCESS_KEY_ID",
    "AWS_SECRET_ACCESS_KEY",
    "AWS_SESSION_TOKEN",
    "GOOGLE_CREDENTIALS",
    "GOOGLE_ENCRYPTION_KEY",
    "ARM_ACCESS_KEY",
    "ARM_SAS_TOKEN",
    "PGPASSWORD",
  ].map((name) => [name, new Secret(`agent-${name}`)]),
);

function opened(type: string, settings: Record<string, string>, secrets: OpenedBackend["secrets"] = {}): OpenedBackend {
  return { name: "states", type, settings, secrets };
}

const s3 = { bucket: "my-states", region: "eu-west-1", key: renderPlainLocation("s3", entity) };
const pg = { host: "db", database: "states", user: "tf", schema_name: renderPlainLocation("pg", entity) };
const gcs = { bucket: "my-states", prefix: renderPlainLocation("gcs", entity) };
const azurerm = { storage_account_name: "mystates", container_name: "states", key: renderPlainLocation("azurerm", entity) };

test("M065 an external state is stored where the control plane says, with the agent's credentials for the backend's type", () => {
  const keys = { AWS_ACCESS_KEY_ID: new Secret("AKIDSECRET"), AWS_SECRET_ACCESS_KEY: new Secret("key-of-the-agent") };
  const bucket = createExternalBackend(opened("s3", { ...s3, dynamodb_table: "locks" }), keys);
  expect(bucket).toMatchObject({
    type: "s3",
    settings: { bucket: "my-states", key: `network/${entity.uid}.tfstate`, dynamodb_table: "locks" },
  });
  expect(JSON.stringify(bucket)).not.toContain("key-of-the-agent");
  const database = createExternalBackend(opened("pg", { ...pg, port: "6432", sslmode: "require" }), {
    PGPASSWORD: new Secret("word"),
  });
  expect(database).toMatchObject({
    settings: { schema_name: `network_${entity.uid.replaceAll("-", "_")}` },
    environment: { PGHOST: "db", PGPORT: "6432", PGSSLMODE: "require" },
  });
  expect(database.secretEnvironment?.["PGPASSWORD"]?.reveal()).toBe("word");
  expect(createExternalBackend(opened("gcs", { ...gcs, prefix: "a/b" }), {})).toMatchObject({
    type: "gcs",
    settings: { prefix: "a/b" },
  });
  expect(createExternalBackend(opened("azurerm", azurerm), {})).toMatchObject({ type: "azurerm" });
});

test.each([
  ["s3", { bucket: "my-states", key: "a" }, "deployer.bad_spec"],
  ["s3", { bucket: "my-states", region: "eu-west-1" }, "deployer.bad_spec"],
  ["s3", { ...s3, access_key: "x" }, "deployer.bad_spec"],
  ["consul", {}, "deployer.bad_spec"],
  ["gcs", { ...gcs, bucket: "My States" }, "terraform.bad_backend"],
  ["pg", { ...pg, host: "/var/run/postgresql" }, "deployer.bad_spec"],
  ["pg", { ...pg, host: "@socket" }, "deployer.bad_spec"],
  ["pg", { ...pg, host: "db,evil.example.org" }, "deployer.bad_spec"],
] as [string, Record<string, string>, string][])("M065 X062 %s with %j is rejected with %s", (type, settings, code) => {
  expect(() => createExternalBackend(opened(type, settings), agentSecrets)).toThrow(
    expect.objectContaining({ code, retry: "never" }),
  );
});

test.each([
  ["s3", s3, ["agent-AWS_ACCESS_KEY_ID", "agent-AWS_SECRET_ACCESS_KEY", "agent-AWS_SESSION_TOKEN"]],
  ["gcs", gcs, ["agent-GOOGLE_CREDENTIALS", "agent-GOOGLE_ENCRYPTION_KEY"]],
  ["azurerm", azurerm, ["agent-ARM_ACCESS_KEY", "agent-ARM_SAS_TOKEN"]],
  ["pg", pg, ["agent-PGPASSWORD"]],
] as [string, Record<string, string>, string[]][])(
  "X062 a run with the backend %s gets the agent's variables for that type and no others",
  (type, settings, expected) => {
    const { secretEnvironment = {}, secretFiles = {} } = createExternalBackend(opened(type, settings), agentSecrets);
    const text = [...Object.values(secretEnvironment), ...Object.values(secretFiles)].map((one) => one.reveal()).join("\n");
    expect([...new Set(text.match(/agent-\w+/g))].toSorted()).toEqual(expected.toSorted());
  },
);

test("X062 a backend with its own secrets never gets the agent's secrets", () => {
  const { secretEnvironment } = createExternalBackend(opened("pg", pg, { PGPASSWORD: new Secret("own") }), agentSecrets);
  expect(secretEnvironment?.["PGPASSWORD"]?.reveal()).toBe("own");
  const other = createExternalBackend(opened("pg", pg, { ARM_ACCESS_KEY: new Secret("own") }), agentSecrets);
  expect(other.secretEnvironment).toEqual({});
});

const stack = { backend: undefined };
const find = (backend: object | undefined, access: object): unknown =>
  findExternalBackend(
    { backendSecrets: agentSecrets },
    { stack, settings: { backend } } as never,
    { payload: { entity } } as never,
    access,
  );

test.each([
  ["the control plane opened no backend", {}],
  ["the control plane opened another type", { backend: opened("s3", s3) }],
  ["the control plane opened another host", { backend: opened("pg", { ...pg, host: "other" }) }],
  ["the control plane opened another schema", { backend: opened("pg", { ...pg, schema_name: "other" }) }],
])("X062 a deployer rejects the backend in a spec if %s", (_what, access) => {
  const wanted = { name: "", type: "pg", settings: pg };
  expect(() => find(wanted, access)).toThrow(expect.objectContaining({ code: "deployer.backend_not_allowed", retry: "never" }));
});

test("X062 a deployer uses the backend that the control plane opened, and ignores one that the spec does not request", () => {
  expect(find({ name: "states", type: "", settings: {} }, { backend: opened("pg", pg) })).toMatchObject({ type: "pg" });
  expect(() => find({ name: "mine", type: "", settings: {} }, { backend: opened("pg", pg) })).toThrow(
    expect.objectContaining({ code: "deployer.backend_not_allowed" }),
  );
  expect(find(undefined, { backend: opened("pg", pg) })).toBeUndefined();
});
