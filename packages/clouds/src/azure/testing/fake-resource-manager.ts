import { refuse, fakeSubscription, type FakeAnswer, type FakeAzure, type SeenRequest } from "./fake-azure.ts";

type Fields = Record<string, unknown>;

/**
 * A rule for the fake API that behaves like AKS, Compute and Network: conditional requests, long-running operations, provisioning states,
 * and the links between machines, network interfaces, addresses and disks. A state lasts for `reads` reads of its resource.
 */
export interface FakeResourceManager {
  readonly answer: (request: SeenRequest) => FakeAnswer | undefined;
  /** Ids of all resources of the given type. */
  list(type: string): string[];
  get(id: string): Fields | undefined;
  /** Settings that tests change. */
  readonly behaviour: {
    reads: number;
    /** Available Kubernetes versions, as minor version and patches. */
    versions: readonly { readonly version: string; readonly patches: readonly string[]; readonly [field: string]: unknown }[];
    /** Makes the creation of a machine fail, either immediately or after it was accepted. */
    machineFailure?: { readonly code: string; readonly message: string; readonly isLate?: boolean };
    /** Makes every change to a cluster or pool fail after it was accepted. */
    aksFailure?: { readonly code: string; readonly message: string };
    /** How many times Azure refuses to delete the interface of a failed machine. */
    reservations: number;
    /** Whether a machine's disk, interface and address are deleted with it. */
    cascades: boolean;
  };
}

const group = `/subscriptions/${fakeSubscription}/resourceGroups`;

interface Change {
  reads: number;
  readonly end: () => void;
}

export function createFakeResourceManager(fake: FakeAzure): FakeResourceManager {
  const { resources } = fake;
  const changes = new Map<string, Change>();
  const operations = new Map<string, { reads: number; error?: object }>();
  let count = 0;
  const behaviour: FakeResourceManager["behaviour"] = {
    reads: 1,
    versions: [
      { version: "1.33", patches: ["1.33.4", "1.33.5"], capabilities: { supportPlan: ["KubernetesOfficial"] }, isDefault: true },
      { version: "1.34", patches: ["1.34.10", "1.34.9"], capabilities: { supportPlan: ["KubernetesOfficial"] } },
      { version: "1.31", patches: ["1.31.9"], capabilities: { supportPlan: ["AKSLongTermSupport"] } },
      { version: "1.35", patches: ["1.35.0"], isPreview: true },
    ],
    reservations: 0,
    cascades: true,
  };

  const store = (id: string, body: Fields): void => {
    resources.set(id.toLowerCase(), { id, name: id.split("/").at(-1), type: typeOf(id), ...body });
  };
  const load = (id: string): Fields | undefined => resources.get(id.toLowerCase());
  const properties = (id: string): Fields => (load(id)?.["properties"] ?? {}) as Fields;
  const patch = (id: string, changed: Fields): void => store(id, { ...load(id), properties: { ...properties(id), ...changed } });
  const schedule = (id: string, end: () => void): void => {
    changes.set(id.toLowerCase(), { reads: behaviour.reads, end });
  };
  const settle = (id: string): void => {
    const change = changes.get(id.toLowerCase());
    if (change === undefined || (change.reads -= 1) >= 0) return;
    changes.delete(id.toLowerCase());
    change.end();
  };
  /** Half of the operations use the newer header, the others the older one. */
  const accept = (path: string, status: number, body?: Fields): FakeAnswer => {
    count += 1;
    const namespace = /\/providers\/([^/]+)\//.exec(path)?.[1] ?? "";
    const link = `${fake.endpoints["AZURE_RESOURCE_MANAGER_ENDPOINT"]}/subscriptions/${fakeSubscription}/providers/${namespace}/locations/westeurope/operations/${count}?api-version=2025-04-01`;
    operations.set(String(count), { reads: 1 });
    const header = status === 202 && count % 2 === 0 ? "location" : "azure-asyncoperation";
    return { status, body, headers: { [header]: link, "retry-after": "0", "x-ms-request-id": `request-${count}` } };
  };
  const answerOperation = (id: string): FakeAnswer => {
    const operation = operations.get(id);
    if (operation === undefined) return refuse(404, "NotFound", "no such operation");
    const isOver = (operation.reads -= 1) < 0;
    return isOver ? { status: 200, body: { status: "Succeeded" } } : { status: 202, body: { status: "InProgress" } };
  };

  const checkConditions = ({ headers, path }: SeenRequest): FakeAnswer | undefined => {
    const found = load(path);
    if (headers["if-none-match"] === "*" && found !== undefined)
      return refuse(412, "PreconditionFailed", "the resource already exists");
    const etag = found?.["eTag"] ?? (found?.["properties"] as Fields | undefined)?.["eTag"];
    const isStale = headers["if-match"] !== undefined && headers["if-match"] !== etag;
    return isStale ? refuse(412, "PreconditionFailed", "the resource was changed") : undefined;
  };
  const isBusy = (id: string): boolean => changes.has(id.toLowerCase());

  const putCluster = (request: SeenRequest): FakeAnswer => {
    const { path } = request;
    const body = JSON.parse(request.body) as Fields;
    const before = load(path);
    if (isBusy(path)) return refuse(409, "OperationNotAllowed", "another operation is in progress");
    const given = body["properties"] as Fields;
    const version = (given["kubernetesVersion"] as string | undefined) ?? "1.33.5";
    const profiles = (given["agentPoolProfiles"] ?? []) as readonly Fields[];
    const working = before === undefined ? "Creating" : "Upgrading";
    store(path, {
      ...body,
      eTag: `etag-${(count += 1)}`,
      systemData: { createdAt: "2026-01-01T00:00:00Z" },
      properties: { ...properties(path), ...given, provisioningState: working, powerState: { code: "Running" } },
    });
    for (const profile of profiles) {
      const { name, ...rest } = profile;
      const id = `${path}/agentPools/${String(name)}`;
      const own = properties(id);
      store(id, {
        properties: {
          orchestratorVersion: version,
          ...own,
          ...rest,
          provisioningState: before === undefined ? "Creating" : "Succeeded",
        },
      });
    }
    copyPools(path);
    schedule(path, () => {
      const failure = behaviour.aksFailure;
      for (const { name } of profiles) {
        const id = `${path}/agentPools/${String(name)}`;
        const now = properties(id);
        patch(id, {
          provisioningState: failure === undefined ? "Succeeded" : "Failed",
          eTag: `etag-${(count += 1)}`,
          currentOrchestratorVersion: now["orchestratorVersion"],
          powerState: { code: "Running" },
        });
      }
      copyPools(path);
      patch(
        path,
        failure === undefined
          ? { provisioningState: "Succeeded", currentKubernetesVersion: version, fqdn: "main-1.hcp.westeurope.azmk8s.io" }
          : { provisioningState: "Failed", status: { provisioningError: failure } },
      );
    });
    return accept(path, before === undefined ? 201 : 200, load(path));
  };
  /** Updates the list of pools in the cluster, because Azure returns a cluster with its pools. */
  const copyPools = (clusterId: string): void => {
    const pools = list("Microsoft.ContainerService/managedClusters/agentPools").filter((id) =>
      id.toLowerCase().startsWith(`${clusterId.toLowerCase()}/agentpools/`),
    );
    patch(clusterId, { agentPoolProfiles: pools.map((id) => ({ ...properties(id), name: id.split("/").at(-1) })) });
  };
  const putPool = (request: SeenRequest, clusterId: string): FakeAnswer => {
    const { path } = request;
    if (load(clusterId) === undefined) return refuse(404, "ParentResourceNotFound", "the cluster was not found");
    if (isBusy(clusterId) || isBusy(path)) return refuse(409, "OperationNotAllowed", "another operation is in progress");
    const before = load(path);
    const given = (JSON.parse(request.body) as Fields)["properties"] as Fields;
    const working = before === undefined ? "Creating" : "Updating";
    const kept = before === undefined ? {} : { currentOrchestratorVersion: properties(path)["currentOrchestratorVersion"] };
    store(path, {
      properties: {
        ...given,
        ...kept,
        provisioningState: working,
        powerState: { code: "Running" },
        eTag: `etag-${(count += 1)}`,
      },
    });
    copyPools(clusterId);
    schedule(path, () => {
      const failure = behaviour.aksFailure;
      const version = given["orchestratorVersion"];
      patch(path, {
        ...(failure === undefined
          ? { provisioningState: "Succeeded", currentOrchestratorVersion: version }
          : { provisioningState: "Failed", status: { provisioningError: failure } }),
        eTag: `etag-${(count += 1)}`,
      });
      copyPools(clusterId);
    });
    return accept(path, before === undefined ? 201 : 200, load(path));
  };

  const putMachine = (request: SeenRequest): FakeAnswer => {
    const { path } = request;
    const body = JSON.parse(request.body) as Fields;
    const given = body["properties"] as Fields;
    const { machineFailure } = behaviour;
    const [card] = ((given["networkProfile"] as Fields)["networkInterfaces"] ?? []) as readonly { readonly id: string }[];
    if (card === undefined || load(card.id) === undefined)
      return refuse(400, "InvalidResourceReference", "the network interface was not found");
    if (machineFailure !== undefined && machineFailure.isLate !== true) {
      reserved.set(card.id.toLowerCase(), behaviour.reservations);
      return refuse(409, machineFailure.code, machineFailure.message);
    }
    const disk = (given["storageProfile"] as Fields)["osDisk"] as Fields;
    const diskId = path.replace(/virtualMachines\/[^/]+$/, `disks/${String(disk["name"])}`);
    store(diskId, { managedBy: path });
    patch(card.id, { virtualMachine: { id: path } });
    store(path, {
      ...body,
      properties: {
        ...given,
        provisioningState: "Creating",
        timeCreated: "2026-01-01T00:00:00Z",
        instanceView: { statuses: [] },
      },
    });
    schedule(path, () => {
      if (machineFailure === undefined) {
        patch(path, { provisioningState: "Succeeded", instanceView: power("running") });
      } else {
        reserved.set(card.id.toLowerCase(), behaviour.reservations);
        const statuses = [{ code: `ProvisioningState/failed/${machineFailure.code}`, message: machineFailure.message }];
        patch(path, { provisioningState: "Failed", instanceView: { statuses: [...statuses, ...power("stopped").statuses] } });
      }
    });
    return accept(path, 201, load(path));
  };
  const patchMachine = ({ path, body }: SeenRequest): FakeAnswer => {
    if (load(path) === undefined) return refuse(404, "ResourceNotFound", `${path} was not found`);
    const { tags, properties: changed = {} } = JSON.parse(body) as { readonly tags?: Fields; readonly properties?: Fields };
    store(path, { ...load(path), ...(tags === undefined ? {} : { tags }) });
    patch(path, { ...changed, provisioningState: "Updating" });
    schedule(path, () => patch(path, { provisioningState: "Succeeded" }));
    return accept(path, 200, load(path));
  };
  const reserved = new Map<string, number>();
  const power = (state: string) => ({ statuses: [{ code: `PowerState/${state}`, displayStatus: `VM ${state}` }] });
  const deleteMachine = (path: string): FakeAnswer => {
    patch(path, { provisioningState: "Deleting" });
    schedule(path, () => {
      const given = properties(path);
      const [card] = ((given["networkProfile"] as Fields)["networkInterfaces"] ?? []) as readonly { readonly id: string }[];
      resources.delete(path.toLowerCase());
      const disk = list("Microsoft.Compute/disks").find((id) => load(id)?.["managedBy"] === path);
      if (disk !== undefined) store(disk, { managedBy: undefined });
      if (card !== undefined) patch(card.id, { virtualMachine: undefined });
      if (!behaviour.cascades) return;
      if (disk !== undefined) resources.delete(disk.toLowerCase());
      const addresses = card === undefined ? [] : addressesOf(card.id);
      if (card !== undefined) resources.delete(card.id.toLowerCase());
      for (const address of addresses) resources.delete(address.toLowerCase());
    });
    return accept(path, 202);
  };
  const addressesOf = (card: string): string[] =>
    ((properties(card)["ipConfigurations"] ?? []) as readonly Fields[]).flatMap((each) => {
      const { publicIPAddress } = each["properties"] as { readonly publicIPAddress?: { readonly id: string } };
      return publicIPAddress === undefined ? [] : [publicIPAddress.id];
    });
  const putNetworkResource = ({ path, body: text }: SeenRequest): FakeAnswer => {
    const isNew = load(path) === undefined;
    const body = JSON.parse(text) as Fields;
    const given = body["properties"] as Fields;
    store(path, { ...body, properties: { ...given, provisioningState: "Updating" } });
    schedule(path, () => {
      const configurations = ((given["ipConfigurations"] ?? []) as readonly Fields[]).map((each) => ({
        ...each,
        properties: { ...(each["properties"] as Fields), privateIPAddress: "10.0.0.4" },
      }));
      const address = /publicIPAddresses/.test(path) ? { ipAddress: "20.1.2.3" } : { ipConfigurations: configurations };
      patch(path, { ...address, provisioningState: "Succeeded" });
    });
    return accept(path, isNew ? 201 : 200, load(path));
  };
  const deleteNetworkResource = (path: string): FakeAnswer => {
    const left = reserved.get(path.toLowerCase()) ?? 0;
    if (left > 0) {
      reserved.set(path.toLowerCase(), left - 1);
      return refuse(400, "NicReservedForAnotherVm", "the interface is reserved for another virtual machine for 180 seconds");
    }
    if (properties(path)["virtualMachine"] !== undefined) return refuse(400, "NicInUse", "the interface is used by a machine");
    const users = list("Microsoft.Network/networkInterfaces").filter((card) =>
      addressesOf(card).some((id) => id.toLowerCase() === path.toLowerCase()),
    );
    if (users.length > 0) return refuse(400, "PublicIPAddressCannotBeDeleted", "the address is in use");
    resources.delete(path.toLowerCase());
    return accept(path, 202);
  };

  const list = (type: string): string[] =>
    [...resources.values()].filter((each) => typeOf(each.id).toLowerCase() === type.toLowerCase()).map(({ id }) => id);

  const answer = (request: SeenRequest): FakeAnswer | undefined => {
    const { method, path } = request;
    if (path === "/console.log") return { status: 200, body: "booted" };
    if (request.headers.authorization === undefined) return undefined;
    const operation = /\/operations\/([^/]+)$/.exec(path)?.[1];
    if (operation !== undefined) return answerOperation(operation);
    if (path.endsWith("/kubernetesVersions"))
      return {
        status: 200,
        body: {
          values: behaviour.versions.map(({ patches, ...rest }) => ({
            ...rest,
            patchVersions: Object.fromEntries(patches.map((each) => [each, { upgrades: [] }])),
          })),
        },
      };
    const type = typeOf(path).toLowerCase();
    const clusterId = path.replace(/\/agentPools\/[^/]+$/i, "");
    const known: Readonly<Record<string, (asked: SeenRequest) => FakeAnswer>> = {
      "microsoft.containerservice/managedclusters": putCluster,
      "microsoft.containerservice/managedclusters/agentpools": (asked) => putPool(asked, clusterId),
      "microsoft.compute/virtualmachines": putMachine,
      "microsoft.network/networkinterfaces": putNetworkResource,
      "microsoft.network/publicipaddresses": putNetworkResource,
    };
    if (method === "PUT" && known[type] !== undefined) return checkConditions(request) ?? known[type](request);
    if (method === "PATCH" && type === "microsoft.compute/virtualmachines") return patchMachine(request);
    if (path.endsWith("/listClusterUserCredential")) return answerCredential(path.replace(/\/[^/]+$/, ""));
    if (method === "POST" || path.endsWith("/instanceView")) return answerAction(request);
    const inGroup = new RegExp(`^${group}/([^/]+)/providers/([^/]+/[^/]+)$`, "i").exec(path);
    if (method === "GET" && inGroup !== null)
      return {
        status: 200,
        body: {
          value: list(inGroup[2] ?? "")
            .filter((id) => id.toLowerCase().startsWith(path.toLowerCase()))
            .map(load),
        },
      };
    if (method === "GET" && load(path) !== undefined) {
      settle(path);
      if (/\/agentPools\//.test(path)) settle(clusterId);
      const found = load(path);
      return found === undefined ? refuse(404, "ResourceNotFound", "gone") : { status: 200, body: found };
    }
    if (method !== "DELETE" || load(path) === undefined) return undefined;
    if (type.startsWith("microsoft.network/")) return deleteNetworkResource(path);
    if (type === "microsoft.compute/virtualmachines") return deleteMachine(path);
    if (type === "microsoft.compute/disks") {
      if (load(path)?.["managedBy"] !== undefined) return refuse(409, "OperationNotAllowed", "the disk is attached");
      resources.delete(path.toLowerCase());
      return accept(path, 202);
    }
    if (isBusy(path) || isBusy(clusterId)) return refuse(409, "OperationNotAllowed", "another operation is in progress");
    patch(path, { provisioningState: "Deleting" });
    schedule(path, () => {
      for (const id of resources.keys()) if (id.startsWith(path.toLowerCase())) resources.delete(id);
      if (clusterId !== path) copyPools(clusterId);
    });
    return accept(path, 202);
  };
  const answerCredential = (cluster: string): FakeAnswer => {
    const found = load(cluster);
    if (found === undefined) return refuse(404, "ResourceNotFound", `${cluster} was not found`);
    const server = `https://${String(properties(cluster)["fqdn"])}:443`;
    const args = ["get-token", "--login", "azurecli", "--server-id", "6dae42f8-4368-4678-94ff-3960e28e3630"];
    const value = {
      apiVersion: "v1",
      kind: "Config",
      clusters: [{ name: found["name"], cluster: { server, "certificate-authority-data": "Y2E=" } }],
      contexts: [{ name: found["name"], context: { cluster: found["name"], user: "user" } }],
      "current-context": found["name"],
      users: [
        { name: "user", user: { exec: { apiVersion: "client.authentication.k8s.io/v1beta1", command: "kubelogin", args } } },
      ],
    };
    const text = Buffer.from(JSON.stringify(value)).toString("base64");
    return { status: 200, body: { kubeconfigs: [{ name: "clusterUser", value: text }] } };
  };
  const answerAction = ({ path }: SeenRequest): FakeAnswer | undefined => {
    const [, machine = "", action = ""] = /^(.+\/virtualMachines\/[^/]+)\/(\w+)$/i.exec(path) ?? [];
    if (machine === "") return undefined;
    if (load(machine) === undefined) return refuse(404, "ResourceNotFound", `${machine} was not found`);
    if (action === "instanceView") return { status: 200, body: properties(machine)["instanceView"] };
    if (action === "retrieveBootDiagnosticsData") {
      const link = `${fake.endpoints["AZURE_RESOURCE_MANAGER_ENDPOINT"]}/console.log?sig=canary`;
      return { status: 200, body: { serialConsoleLogBlobUri: link } };
    }
    if (isBusy(machine)) return refuse(409, "OperationNotAllowed", "another operation is in progress");
    const [working, end] = action === "start" ? ["starting", "running"] : ["deallocating", "deallocated"];
    patch(machine, { provisioningState: "Updating", instanceView: power(working) });
    schedule(machine, () => patch(machine, { provisioningState: "Succeeded", instanceView: power(end) }));
    return accept(machine, 202);
  };
  return { answer, list, get: load, behaviour };
}

/** Returns the type in an id: the namespace and every second part after it. */
function typeOf(id: string): string {
  const [namespace = "", ...rest] = id.split(/\/providers\//i)[1]?.split("/") ?? [];
  return [namespace, ...rest.filter((_, index) => index % 2 === 0)].join("/");
}
