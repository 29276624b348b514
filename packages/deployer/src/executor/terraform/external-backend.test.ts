import { Secret } from "@cloudwright/platform";
import { expect, test } from "vitest";
import { createExternalBackend } from "./external-backend.ts";

const entity = { kind: "Network", uid: "0199a000-0000-7000-8000-000000000001" } as const;

test("M065 by default, an external state is stored under the entity's uid with the agent's credentials", () => {
  const s3 = createExternalBackend(
    entity,
    { type: "s3", settings: { bucket: "my-states", region: "eu-west-1", dynamodb_table: "locks" } },
    { AWS_ACCESS_KEY_ID: new Secret("AKIDSECRET"), AWS_SECRET_ACCESS_KEY: new Secret("key-of-the-agent") },
  );
  expect(s3).toMatchObject({
    type: "s3",
    settings: { bucket: "my-states", key: `network/${entity.uid}.tfstate`, dynamodb_table: "locks" },
  });
  expect(JSON.stringify(s3)).not.toContain("key-of-the-agent");
  const pg = createExternalBackend(
    entity,
    { type: "pg", settings: { host: "db", database: "states", user: "tf", port: "6432", sslmode: "require" } },
    { PGPASSWORD: new Secret("word") },
  );
  expect(pg).toMatchObject({
    settings: { schema_name: `network_${entity.uid.replaceAll("-", "_")}` },
    environment: { PGHOST: "db", PGPORT: "6432", PGSSLMODE: "require" },
  });
  expect(pg.secretEnvironment?.["PGPASSWORD"]?.reveal()).toBe("word");
  const gcs = createExternalBackend(entity, { type: "gcs", settings: { bucket: "my-states", prefix: "a/b" } }, {});
  expect(gcs).toMatchObject({ type: "gcs", settings: { prefix: "a/b" } });
  const azure = { storage_account_name: "mystates", container_name: "states" };
  expect(createExternalBackend(entity, { type: "azurerm", settings: azure }, {})).toMatchObject({ type: "azurerm" });
});

test.each([
  [{ type: "s3", settings: { bucket: "my-states" } }, "deployer.bad_spec"],
  [{ type: "s3", settings: { bucket: "my-states", region: "eu-west-1", access_key: "x" } }, "deployer.bad_spec"],
  [{ type: "consul", settings: {} }, "deployer.bad_spec"],
  [{ type: "gcs", settings: { bucket: "My States" } }, "terraform.bad_backend"],
])("M065 %j is rejected with %s", (backend, code) => {
  expect(() => createExternalBackend(entity, backend as never, {})).toThrow(expect.objectContaining({ code, retry: "never" }));
});
