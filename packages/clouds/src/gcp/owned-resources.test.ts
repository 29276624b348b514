import { afterAll, beforeAll, expect, test } from "vitest";
import { openGoogle, project, region, type OpenGoogle } from "./testing/open-google.ts";

const uid = "0199aaaa-0000-7000-8000-0000deadbeef";
const other = "0199aaaa-0000-7000-8000-00000badcafe";
const owned = (part: string, entity = uid): string =>
  `Managed by Cloudwright (cloudwright:entity=${entity} cloudwright:part=${part})`;
const labels = (part: string, entity = uid) => ({ cloudwright_entity: entity, cloudwright_part: part.replaceAll("/", "__2f") });
let google: OpenGoogle;
beforeAll(async () => {
  google = await openGoogle();
});
afterAll(async () => {
  await google.server.close();
});

test("X010 every resource of an entity is found with the id and part that Terraform uses, and no resource of another entity", async () => {
  const { resources, answers } = google.server;
  const put = (id: string, resource: Readonly<Record<string, unknown>>) => resources.set(`projects/${project}/${id}`, resource);
  put("global/networks/main", { description: owned("this/network") });
  put("global/networks/other", { description: owned("this/network", other) });
  put(`regions/${region}/subnetworks/main`, { description: owned("this/network") });
  put(`regions/${region}/routers/main`, { description: owned("this/network"), nats: [{ name: "nat" }] });
  put(`regions/${region}/routers/other`, { description: "", nats: [{ name: "nat" }] });
  for (const name of ["one", "two", "three"]) put(`global/firewalls/${name}`, { description: owned(`rule/${name}`) });
  put(`regions/${region}/addresses/nat-0`, { labels: labels("nat/0") });
  put(`zones/${region}-b/disks/data`, { labels: labels("this/disk") });
  put(`zones/${region}-b/disks/other`, { labels: labels("this/disk", other) });
  put(`zones/${region}-b/instances/web`, { labels: labels("this/this") });
  put(`zones/${region}-b/instances/node`, { labels: { ...labels("pool/a/b"), "goog-k8s-cluster-name": "dev" } });
  const email = `main-n@${project}.iam.gserviceaccount.com`;
  answers.set(`GET iam_beta/v1/projects/${project}/serviceAccounts`, {
    accounts: [
      { name: `projects/${project}/serviceAccounts/${email}`, email, description: owned("nodes/made") },
      { name: `projects/${project}/serviceAccounts/x`, email: "x", description: "" },
    ],
  });
  answers.set(`POST resource_manager/v1/projects/${project}:getIamPolicy`, {
    bindings: [
      { role: "roles/logging.logWriter", members: [`serviceAccount:${email}`, "user:ada@example.com"] },
      { role: "roles/owner", members: ["user:ada@example.com"] },
    ],
  });
  const ring = `projects/${project}/locations/${region}/keyRings/main-deadbeef`;
  answers.set(`GET kms/v1/projects/${project}/locations/${region}/keyRings`, {
    keyRings: [{ name: ring }, { name: `projects/${project}/locations/${region}/keyRings/main-0badcafe` }],
  });
  answers.set(`GET kms/v1/${ring}/cryptoKeys`, {
    cryptoKeys: [{ name: `${ring}/cryptoKeys/secrets`, labels: labels("secrets/made") }],
  });
  answers.set(`GET kms/v1/${ring}/cryptoKeys/secrets:getIamPolicy`, {
    bindings: [{ role: "roles/cloudkms.cryptoKeyEncrypterDecrypter", members: ["serviceAccount:robot"] }],
  });
  answers.set("GET storage/v1/b", { items: [{ name: "data", labels: labels("this/bucket") }, { name: "other" }] });
  answers.set("GET storage/v1/b/data/iam", {
    bindings: [
      { role: "roles/storage.objectViewer", members: ["user:ada@example.com"] },
      { role: "roles/storage.legacyBucketOwner", members: [`projectOwner:${project}`] },
    ],
  });
  answers.set(`GET container/v1/projects/${project}/locations/-/clusters`, {
    clusters: [
      {
        name: "dev",
        location: region,
        resourceLabels: labels("this"),
        nodePools: [{ name: "default-pool" }, { name: "a-b-1", config: { resourceLabels: labels("pool/a/b") } }],
      },
    ],
  });
  const found = await google.open().listOwned(uid);
  const at = `projects/${project}`;
  expect(Object.fromEntries(found.map(({ type, id, part }) => [`${type} ${id}`, part]))).toEqual({
    [`google_compute_network ${at}/global/networks/main`]: "this/network",
    [`google_compute_subnetwork ${at}/regions/${region}/subnetworks/main`]: "this/network",
    [`google_compute_router ${at}/regions/${region}/routers/main`]: "this/network",
    [`google_compute_router_nat ${project}/${region}/main/nat`]: undefined,
    [`google_compute_firewall ${at}/global/firewalls/one`]: "rule/one",
    [`google_compute_firewall ${at}/global/firewalls/two`]: "rule/two",
    [`google_compute_firewall ${at}/global/firewalls/three`]: "rule/three",
    [`google_compute_address ${at}/regions/${region}/addresses/nat-0`]: "nat/0",
    [`google_compute_disk ${at}/zones/${region}-b/disks/data`]: "this/disk",
    [`google_compute_instance ${at}/zones/${region}-b/instances/web`]: "this/this",
    [`google_service_account ${at}/serviceAccounts/${email}`]: "nodes/made",
    [`google_project_iam_member ${project}/roles/logging.logWriter/serviceAccount:${email}`]: undefined,
    [`google_kms_key_ring ${ring}`]: undefined,
    [`google_kms_crypto_key ${ring}/cryptoKeys/secrets`]: "secrets/made",
    [`google_kms_crypto_key_iam_member ${ring}/cryptoKeys/secrets/roles/cloudkms.cryptoKeyEncrypterDecrypter/serviceAccount:robot`]:
      undefined,
    [`google_storage_bucket data`]: "this/bucket",
    "google_storage_bucket_iam_member b/data/roles/storage.objectViewer/user:ada@example.com": undefined,
    [`google_container_cluster ${at}/locations/${region}/clusters/dev`]: "this",
    [`google_container_node_pool ${at}/locations/${region}/clusters/dev/nodePools/a-b-1`]: "pool/a/b",
  });
  const member = found.find(({ type }) => type === "google_project_iam_member");
  expect(member?.importId).toBe(`${project} roles/logging.logWriter serviceAccount:${email}`);
  expect(found.find(({ type }) => type === "google_container_node_pool")?.importId).toBe(`${project}/${region}/dev/a-b-1`);
});

test("X010 features that are not allowed or not enabled have no resources, but a refusal by Compute Engine is an error", async () => {
  const { refusals } = google.server;
  const denied = { status: 403, body: { error: { code: 403, status: "PERMISSION_DENIED", message: "no" } } };
  const disabled = { status: 403, body: { error: { code: 403, message: "no", errors: [{ reason: "accessNotConfigured" }] } } };
  refusals.set(`GET iam_beta/v1/projects/${project}/serviceAccounts`, denied);
  refusals.set(`GET kms/v1/projects/${project}/locations/${region}/keyRings`, disabled);
  refusals.set(`GET container/v1/projects/${project}/locations/-/clusters`, disabled);
  refusals.set("GET storage/v1/b", denied);
  const types = (await google.open().listOwned(uid)).map(({ type }) => type);
  expect(types.every((type) => type.startsWith("google_compute_"))).toBe(true);
  refusals.set(`GET compute/v1/projects/${project}/global/networks`, denied);
  await expect(google.open().listOwned(uid)).rejects.toMatchObject({ code: "clouds.not_allowed" });
});
