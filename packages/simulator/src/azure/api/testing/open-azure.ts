import { parseJson, objectOf, Secret, systemClock, textOf, type Clock, type ReadonlyJsonObject } from "@cloudwright/platform";
import { startApiHost, type ApiHost, type ApiHostOptions } from "../../../api/start-api-host.ts";
import { defaultConditions, type Conditions } from "../../../cloud/conditions.ts";
import type { Inventory } from "../../../inventory/inventory.ts";
import { createMemoryInventory } from "../../../inventory/memory-inventory.ts";
import { createMemoryFaults } from "../../../simulated-faults/memory-faults.ts";
import type { SimulatedFaultControl } from "../../../simulated-faults/simulated-fault.ts";
import { idsOf } from "../credentials.ts";

/** A reply from the API. */
export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly body: ReadonlyJsonObject;
  /** The error code in the body, or "". */
  readonly code: string;
}

/** The parts of a request besides its method and path. */
export interface Sent {
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Sends a request to Azure Resource Manager. A path that begins with `~` is relative to the `rg` resource group. */
export type SendRequest = (method: string, path: string, sent?: Sent) => Promise<Reply>;

/** A simulated Azure API. */
export interface AzureUnderTest {
  readonly host: ApiHost;
  readonly inventory: Inventory;
  readonly faults: SimulatedFaultControl;
  /** Returns the form with which a tenant's application requests a token. */
  formOf(tenant: string): Promise<Record<string, string>>;
  requestToken(tenant: string, form: Readonly<Record<string, string>>): Promise<Reply>;
  tokenOf(tenant: string): Promise<string>;
  /** Returns a function that sends a tenant's requests. The tenant has a resource group named `rg`. */
  connect(tenant: string, token?: string): Promise<SendRequest>;
  /** Moves the cloud's clock, including the clock that tokens are checked against. */
  shift(ms: number): void;
  /** Advances simulated time for operations in progress. Tokens are not affected. */
  advance(ms: number): void;
  /** Throws if an internal error occurred. */
  close(): Promise<void>;
}

export const location = "westeurope";

/** Starts a simulated Azure API. Operations take as long as in the real cloud unless the conditions specify otherwise. */
export async function openAzure(options: Partial<ApiHostOptions> = {}): Promise<AzureUnderTest> {
  let shiftMs = 0;
  let advancedMs = 0;
  const clock: Clock = { ...systemClock, now: () => systemClock.now() + shiftMs + advancedMs };
  const conditions: Conditions = {
    ...defaultConditions,
    timeScale: 1,
    get clockSkewMs() {
      return -advancedMs;
    },
  };
  const inventory = options.inventory ?? createMemoryInventory();
  const faults = createMemoryFaults();
  const troubles: string[] = [];
  const onTrouble = (message: string): unknown => troubles.push(message);
  const secret = new Secret("test");
  const host = await startApiHost({ inventory, faults, clock, secret, listen: { port: 0 }, conditions, onTrouble, ...options });
  const formOf = async (tenant: string): Promise<Record<string, string>> => {
    const { environment } = await host.issue(tenant, "azure");
    return {
      grant_type: "client_credentials",
      client_id: environment["AZURE_CLIENT_ID"] ?? "",
      client_secret: environment["AZURE_CLIENT_SECRET"] ?? "",
      scope: `${host.address}/.default`,
    };
  };
  const requestToken = async (tenant: string, form: Readonly<Record<string, string>>): Promise<Reply> => {
    const url = `${host.address}/${idsOf(tenant).tenantId}/oauth2/v2.0/token`;
    return toReply(await fetch(url, { method: "POST", body: new URLSearchParams(form) }));
  };
  const tokenOf = async (tenant: string): Promise<string> =>
    textOf((await requestToken(tenant, await formOf(tenant))).body["access_token"]);
  return {
    host,
    inventory,
    faults,
    formOf,
    requestToken,
    tokenOf,
    async connect(tenant, given) {
      const token = given ?? (await tokenOf(tenant));
      const group = `/subscriptions/${idsOf(tenant).subscriptionId}/resourceGroups/rg`;
      const attributes = { id: group, name: "rg", location };
      await inventory.put(tenant, { type: "azurerm_resource_group", id: group, attributes });
      return async (method, path, { body, headers = {} } = {}) => {
        const full = path.replace(/^~/, group);
        const version = full.includes("api-version=") ? "" : `${full.includes("?") ? "&" : "?"}api-version=2025-04-01`;
        const url = full.startsWith("http") ? full : `${host.address}${full}${version}`;
        const json = body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) };
        const authorization = `Bearer ${token}`;
        return toReply(await fetch(url, { method, ...json, headers: { authorization, ...headers } }));
      };
    },
    shift: (ms) => void (shiftMs += ms),
    advance: (ms) => void (advancedMs += ms),
    async close() {
      await host.close();
      if (troubles.length > 0) throw new Error(troubles.join("\n"));
    },
  };
}

async function toReply(response: Response): Promise<Reply> {
  const text = await response.text();
  const body = objectOf(parseJson(text));
  const { error } = body;
  const code = typeof error === "string" ? error : textOf(objectOf(error)["code"]);
  return { status: response.status, headers: response.headers, text, body, code };
}

/** The body of a cluster with one pool. */
export const clusterBody = {
  location,
  identity: { type: "SystemAssigned" },
  tags: { team: "a" },
  properties: {
    kubernetesVersion: "1.33",
    dnsPrefix: "dev",
    agentPoolProfiles: [{ name: "system", mode: "System", count: 2, vmSize: "Standard_D4s_v5" }],
  },
};

/** Creates a network with a subnet, an interface with a public address, and a machine. Returns the path of the machine. */
export async function createMachine(send: SendRequest, name = "vm"): Promise<string> {
  const network = "~/providers/Microsoft.Network";
  const put = async (path: string, body: unknown): Promise<string> => textOf((await send("PUT", path, { body })).body["id"]);
  const subnets = [{ name: "one", properties: { addressPrefix: "10.1.0.0/24" } }];
  const space = { addressSpace: { addressPrefixes: ["10.1.0.0/16"] }, subnets };
  const networkId = await put(`${network}/virtualNetworks/net`, { location, properties: space });
  const address = await put(`${network}/publicIPAddresses/${name}-ip`, {
    location,
    sku: { name: "Standard" },
    properties: { publicIPAllocationMethod: "Static" },
  });
  const publicIPAddress = { id: address, properties: { deleteOption: "Delete" } };
  const properties = { subnet: { id: `${networkId}/subnets/one` }, publicIPAddress };
  const card = await put(`${network}/networkInterfaces/${name}-nic`, {
    location,
    properties: { ipConfigurations: [{ name: "main", properties }] },
  });
  const path = `~/providers/Microsoft.Compute/virtualMachines/${name}`;
  await put(path, machineBody(card, name));
  return path;
}

/** The body of a machine whose disk and interface are deleted with it. */
export function machineBody(card: string, name: string): Record<string, unknown> {
  const adminUsername = "azureuser";
  const key = { path: `/home/${adminUsername}/.ssh/authorized_keys`, keyData: "ssh-ed25519 AAAA me@here" };
  return {
    location,
    tags: { team: "a" },
    zones: ["1"],
    properties: {
      hardwareProfile: { vmSize: "Standard_D4s_v5" },
      storageProfile: {
        imageReference: { publisher: "Canonical", offer: "ubuntu-24_04-lts", sku: "server", version: "latest" },
        osDisk: { name: `${name}-disk`, createOption: "FromImage", deleteOption: "Delete" },
      },
      osProfile: {
        computerName: name,
        adminUsername,
        linuxConfiguration: { disablePasswordAuthentication: true, ssh: { publicKeys: [key] } },
      },
      networkProfile: { networkInterfaces: [{ id: card, properties: { primary: true, deleteOption: "Delete" } }] },
      diagnosticsProfile: { bootDiagnostics: { enabled: true } },
      userData: "aGVsbG8=",
    },
  };
}
