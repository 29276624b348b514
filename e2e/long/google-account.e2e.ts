import { googleProject, openGoogle, privateKeyLine, serviceAccountKey } from "@cloudwright/clouds/testing";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { findCanaries, findInFiles } from "../canaries/search.ts";
import { runCloud } from "../cloud-command.ts";
import { startServer } from "../server.ts";

test("M020 M157 M223 a real Google Cloud account is verified and checked before anything is built, and its key appears nowhere", async () => {
  const google = await openGoogle();
  const { endpoints, answers, seen } = google.server;
  answers.set(`POST resource_manager/v1/projects/${googleProject}:testIamPermissions`, ({ body }) => {
    const { permissions } = body as { readonly permissions: readonly string[] };
    return { permissions: permissions.filter((permission) => permission !== "compute.routers.create") };
  });
  answers.set(`GET service_usage/v1/projects/${googleProject}/services:batchGet`, ({ query }) => ({
    services: (query["names"] ?? []).map((name) => ({ name, state: name.includes("compute") ? "DISABLED" : "ENABLED" })),
  }));
  const folder = mkdtempSync(join(tmpdir(), "google-account-"));
  const file = join(folder, "key.json");
  writeFileSync(file, serviceAccountKey);
  const server = await startServer({
    environment: { ...endpoints, CLOUDWRIGHT_AGENT_ENVIRONMENT: Object.keys(endpoints).join(",") },
  });
  onTestFinished(async () => {
    await server.stop();
    await google.server.close();
    rmSync(folder, { recursive: true });
  });
  const texts: string[] = [];
  const cloud = async (...args: string[]) => {
    const outcome = await runCloud({ home: server.home }, ...args);
    texts.push(outcome.out, outcome.err);
    return outcome;
  };

  const created = await cloud("account", "create", "prod", "--cloud", "gcp", "--gcp-service-account-key-file", file, "--wait");
  expect(created).toMatchObject({ code: 0 });
  const { out } = await cloud("account", "get", "prod", "-o", "json");
  expect(JSON.parse(out)).toMatchObject({
    status: { accountId: googleProject, identity: `deployer@${googleProject}.iam.gserviceaccount.com` },
  });

  const checked = await cloud("network", "create", "main", "--account", "prod", "--region", "europe-west1", "--preflight");
  expect(checked.code).toBe(10);
  const said = checked.out + checked.err;
  expect(said).toContain("compute.routers.create");
  expect(said).toContain(`gcloud services enable compute.googleapis.com --project ${googleProject}`);

  writeFileSync(file, serviceAccountKey.replace("deployer@", "revoked@"));
  const refused = await cloud("account", "update", "prod", "--gcp-service-account-key-file", file, "--wait");
  expect(refused.code).not.toBe(0);
  expect(refused.out + refused.err).toContain("invalid_grant");

  const canaries = new Map([
    ["the private key", privateKeyLine],
    ["an access token", "token-of-key"],
  ]);
  texts.push(server.process.stdout(), server.process.stderr(), JSON.stringify(seen.map(({ path, query }) => [path, query])));
  expect(texts.flatMap((text) => findCanaries(canaries, "output", text))).toEqual([]);
  expect(await findInFiles(canaries, server.home, [])).toEqual([]);
});
