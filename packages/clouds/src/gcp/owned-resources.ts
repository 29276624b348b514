import { readTags } from "@cloudwright/contract/clouds/gcp/descriptions";
import { Fault } from "@cloudwright/platform";
import { ownerTag, partTag } from "../account-view.ts";
import type { OwnedResource } from "../cloud-provider.ts";
import { cloudsFaults } from "../faults.ts";
import { listItems } from "./account-view.ts";
import type { GcpApi } from "./api.ts";
import type { Address, Cluster, Disk, Firewall, Instance, Network, Router, Subnetwork } from "./models.ts";
import { lastPart, toResourceId } from "./resource-names.ts";

type Labelled = { readonly labels?: Readonly<Record<string, string>>; readonly description?: string };

/**
 * Lists every resource of an entity in the project. A resource's owner is read from its labels, or from its description if it cannot have
 * labels. Resources with neither are found through the owned resources they belong to.
 */
export async function listOwnedResources(api: GcpApi, entityUid: string): Promise<OwnedResource[]> {
  const owner: Owner = { uid: entityUid, suffix: `-${entityUid.replaceAll("-", "").slice(-8)}` };
  const found = await Promise.all([
    listInCompute(api, owner),
    listDisks(api, owner),
    ...[listInstances, listClusters, listServiceAccounts, listKeys, listBuckets].map((list) =>
      list(api, owner).catch(ignoreUnused),
    ),
  ]);
  return found.flat();
}

interface Owner {
  readonly uid: string;
  /** Suffix that identifies the owner in the names of resources without labels and descriptions. */
  readonly suffix: string;
}

// An account may have permissions for only some of the features. In that case, it has no resources for the other features.
function ignoreUnused(error: unknown): OwnedResource[] {
  const ignored: readonly string[] = [cloudsFaults.service_disabled.code, cloudsFaults.not_allowed.code];
  if (error instanceof Fault && ignored.includes(error.code)) return [];
  throw error;
}

function describe(type: string, resource: Labelled, id: string, names: readonly string[] = []): OwnedResource {
  const part = readTags(resource)[partTag];
  return { type, id, names, ...(part === undefined ? {} : { part }) };
}

function isOwned({ uid }: Owner): (resource: Labelled) => boolean {
  return (resource) => readTags(resource)[ownerTag] === uid;
}

async function listInCompute(api: GcpApi, owner: Owner): Promise<OwnedResource[]> {
  const region = `regions/${api.region}`;
  const project = await api.getProject();
  const own = isOwned(owner);
  const list = async <Item extends Labelled & { readonly selfLink?: string }>(type: string, collection: string) =>
    (await listItems<Item>(api, `list ${collection}`, collection))
      .filter(own)
      .map((item) => describe(type, item, toResourceId(item.selfLink)));
  const routers = (await listItems<Router>(api, "list the routers", `${region}/routers`)).filter(own);
  const nats = routers.flatMap(({ name: router = "", selfLink, nats: gateways = [] }) =>
    gateways.map(({ name = "" }): OwnedResource => {
      const id = `${project}/${api.region}/${router}/${name}`;
      return { type: "google_compute_router_nat", id, names: [toResourceId(selfLink), router, name] };
    }),
  );
  const lists = await Promise.all([
    list<Network>("google_compute_network", "global/networks"),
    list<Subnetwork>("google_compute_subnetwork", `${region}/subnetworks`),
    list<Firewall>("google_compute_firewall", "global/firewalls"),
    list<Address>("google_compute_address", `${region}/addresses`),
    list<Address>("google_compute_global_address", "global/addresses"),
  ]);
  const found = routers.map((router) => describe("google_compute_router", router, toResourceId(router.selfLink)));
  return [...lists.flat(), ...found, ...nats];
}

async function listDisks(api: GcpApi, owner: Owner): Promise<OwnedResource[]> {
  const path = `projects/${await api.getProject()}/aggregated/disks`;
  const pages = await api.listPages<{ readonly items?: Readonly<Record<string, { readonly disks?: readonly Disk[] }>> }>(
    "list the disks",
    { service: "compute", path, query: { filter: `labels.cloudwright_entity = "${owner.uid}"` } },
  );
  const disks = pages.flatMap(({ items = {} }) => Object.values(items).flatMap(({ disks: some = [] }) => some));
  return disks.filter(isOwned(owner)).map((disk) => {
    const type = disk.zone === undefined ? "google_compute_region_disk" : "google_compute_disk";
    return describe(type, disk, toResourceId(disk.selfLink));
  });
}

async function listInstances(api: GcpApi, owner: Owner): Promise<OwnedResource[]> {
  const path = `projects/${await api.getProject()}/aggregated/instances`;
  const pages = await api.listPages<{
    readonly items?: Readonly<Record<string, { readonly instances?: readonly Instance[] }>>;
  }>("list the instances", { service: "compute", path, query: { filter: `labels.cloudwright_entity = "${owner.uid}"` } });
  const instances = pages.flatMap(({ items = {} }) => Object.values(items).flatMap(({ instances: some = [] }) => some));
  // A cluster's nodes also carry its labels, but they belong to their node pools.
  const own = instances.filter(isOwned(owner)).filter(({ labels = {} }) => labels["goog-k8s-cluster-name"] === undefined);
  return own.map((instance) => describe("google_compute_instance", instance, toResourceId(instance.selfLink)));
}

async function listClusters(api: GcpApi, owner: Owner): Promise<OwnedResource[]> {
  const project = await api.getProject();
  const { clusters = [] } = await api.call<{ readonly clusters?: readonly Cluster[] }>("list the clusters", {
    service: "container",
    path: `projects/${project}/locations/-/clusters`,
  });
  const own = clusters.filter(({ resourceLabels: labels = {} }) => isOwned(owner)({ labels }));
  return own.flatMap(({ name = "", location = "", resourceLabels = {}, nodePools = [] }) => {
    const id = `projects/${project}/locations/${location}/clusters/${name}`;
    const pools = nodePools.map(({ name: pool = "", config }): OwnedResource => {
      const importId = `${project}/${location}/${name}/${pool}`;
      const labels = config?.resourceLabels ?? {};
      return { ...describe("google_container_node_pool", { labels }, `${id}/nodePools/${pool}`, [id, name, pool]), importId };
    });
    // GKE's default pool has no part label, because no configuration created it.
    return [
      describe("google_container_cluster", { labels: resourceLabels }, id),
      ...pools.filter(({ part }) => part !== undefined),
    ];
  });
}

interface Policy {
  readonly bindings?: readonly { readonly role?: string; readonly members?: readonly string[] }[];
}

/** Lists the bindings of a policy. Terraform joins the fields of a binding with slashes in ids, and with spaces in import ids. */
function listMembers(type: string, place: string, policy: Policy, isWanted: (member: string) => boolean): OwnedResource[] {
  return (policy.bindings ?? []).flatMap(({ role = "", members = [] }) =>
    members.filter(isWanted).map((member) => ({
      type,
      id: `${place}/${role}/${member}`,
      importId: `${place} ${role} ${member}`,
      names: [place, role, member],
    })),
  );
}

async function listServiceAccounts(api: GcpApi, owner: Owner): Promise<OwnedResource[]> {
  const project = await api.getProject();
  interface Account extends Labelled {
    readonly name?: string;
    readonly email?: string;
  }
  const pages = await api.listPages<{ readonly accounts?: readonly Account[] }>("list the service accounts", {
    service: "iam_beta",
    path: `projects/${project}/serviceAccounts`,
    query: { pageSize: "100" },
  });
  const own = pages.flatMap(({ accounts = [] }) => accounts).filter(isOwned(owner));
  if (own.length === 0) return [];
  const policy = await api.call<Policy>("read the project's policy", {
    service: "resource_manager",
    path: `projects/${project}:getIamPolicy`,
    method: "POST",
    body: {},
  });
  const emails = new Set(own.map(({ email = "" }) => `serviceAccount:${email}`));
  return [
    ...own.map((account) => describe("google_service_account", account, account.name ?? "", [account.email ?? ""])),
    ...listMembers("google_project_iam_member", project, policy, (member) => emails.has(member)),
  ];
}

// Key rings have neither labels nor a description, and they can never be deleted. The end of a ring's name identifies its owner.
async function listKeys(api: GcpApi, owner: Owner): Promise<OwnedResource[]> {
  const project = await api.getProject();
  const pages = await api.listPages<{ readonly keyRings?: readonly { readonly name?: string }[] }>("list the key rings", {
    service: "kms",
    path: `projects/${project}/locations/${api.region}/keyRings`,
  });
  const rings = pages.flatMap(({ keyRings = [] }) => keyRings).filter(({ name = "" }) => name.endsWith(owner.suffix));
  const found: OwnedResource[] = [];
  for (const { name: ring = "" } of rings) {
    found.push({ type: "google_kms_key_ring", id: ring, names: [lastPart(ring)] });
    interface Key extends Labelled {
      readonly name?: string;
    }
    const keys = await api.listPages<{ readonly cryptoKeys?: readonly Key[] }>("list the keys", {
      service: "kms",
      path: `${ring}/cryptoKeys`,
    });
    for (const key of keys.flatMap(({ cryptoKeys = [] }) => cryptoKeys).filter(isOwned(owner))) {
      const id = key.name ?? "";
      const policy = await api.call<Policy>("read the policy of a key", { service: "kms", path: `${id}:getIamPolicy` });
      found.push(describe("google_kms_crypto_key", key, id, [ring]));
      found.push(...listMembers("google_kms_crypto_key_iam_member", id, policy, () => true));
    }
  }
  return found;
}

async function listBuckets(api: GcpApi, owner: Owner): Promise<OwnedResource[]> {
  interface Bucket extends Labelled {
    readonly name?: string;
  }
  const pages = await api.listPages<{ readonly items?: readonly Bucket[] }>("list the buckets", {
    service: "storage",
    path: "b",
    query: { project: await api.getProject(), fields: "items(name,labels),nextPageToken" },
  });
  const own = pages.flatMap(({ items = [] }) => items).filter(isOwned(owner));
  const found = await Promise.all(
    own.map(async (bucket) => {
      const name = bucket.name ?? "";
      const policy = await api.call<Policy>("read the policy of a bucket", { service: "storage", path: `b/${name}/iam` });
      // Excludes the roles that Google Cloud itself grants to the owners, editors and viewers of the project.
      const isGranted = (member: string): boolean => !/^project(Owner|Editor|Viewer):/.test(member);
      const members = listMembers("google_storage_bucket_iam_member", `b/${name}`, policy, isGranted);
      return [describe("google_storage_bucket", bucket, name), ...members];
    }),
  );
  return found.flat();
}
