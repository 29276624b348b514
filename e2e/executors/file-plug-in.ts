import { writeFile } from "node:fs/promises";
import { join } from "node:path";

const deployer = new URL("../../packages/deployer/src/index.ts", import.meta.url).href;

/**
 * Writes a plug-in that builds networks in AWS accounts with the in-process executor. Each resource becomes a JSON file in `resources`.
 * Returns the path of the plug-in.
 */
export async function writeFilePlugIn(folder: string, resources: string): Promise<string> {
  const path = join(folder, "file-plug-in.mjs");
  await writeFile(path, renderPlugIn(resources));
  return path;
}

const renderPlugIn = (resources: string): string => `
import { createInProcessExecutor, refer } from ${JSON.stringify(deployer)};
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const folder = ${JSON.stringify(resources)};
mkdirSync(folder, { recursive: true });
const fileOf = (id) => join(folder, id + ".json");
const readAll = () => readdirSync(folder).map((name) => JSON.parse(readFileSync(join(folder, name), "utf8")));
const find = (id) => readAll().find((each) => each.id === id);
const save = (resource) => {
  writeFileSync(fileOf(resource.id), JSON.stringify(resource));
  return resource;
};

const createType = (name, immutable) => ({
  name,
  immutable,
  create: async (attributes, owner) => save({ id: name + "-" + owner.token, type: name, owner, attributes }),
  read: async (id) => find(id)?.attributes,
  update: async (id, attributes) => save({ ...find(id), attributes }).attributes,
  delete: async (id) => rmSync(fileOf(id), { force: true }),
  listOwned: async (uid) =>
    readAll().filter(({ type, owner }) => type === name && owner.entityUid === uid).map(({ id, owner }) => ({ id, name: owner.name })),
});

const network = "file_network.main";
const blueprint = {
  service: "network",
  cloud: "aws",
  version: "v1.0.0",
  openTypes: async () => [
    createType("file_network", ["cidr"]),
    createType("file_gateway", ["network_id"]),
    createType("file_subnet", ["network_id"]),
    createType("file_table", ["network_id"]),
    createType("file_endpoint", ["network_id"]),
  ],
  resources: ({ spec }) => [
    { type: "file_network", name: "main", attributes: { cidr: spec.cidr || "10.0.0.0/16" } },
    { type: "file_gateway", name: "main", attributes: { network_id: refer(network, "id") } },
    ...spec.zones.map((zone) => ({ type: "file_subnet", name: zone, attributes: { network_id: refer(network, "id"), zone } })),
    { type: "file_table", name: "main", attributes: { network_id: refer(network, "id"), gateway_id: refer("file_gateway.main", "id") } },
    { type: "file_endpoint", name: "main", attributes: { network_id: refer(network, "id"), zones: spec.zones } },
  ],
  outputs: (attributesOf) => ({
    network_id: attributesOf(network).id,
    public_subnet_ids: [],
    private_subnet_ids: [],
    intra_subnet_ids: [],
  }),
};

export default { executors: [createInProcessExecutor(blueprint)] };
`;
