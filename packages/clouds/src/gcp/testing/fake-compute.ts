import type { Instance } from "../models.ts";
import { answerAttachments, answerDisks, answerFirewalls, type Begin } from "./fake-resources.ts";
import { refuse, type Answer, type FakeOperation, type FakeState } from "./fake-state.ts";
import type { SeenRequest } from "./google-server.ts";

const origin = "https://www.googleapis.com/compute/v1/";

/** Answers a request to Compute Engine. */
export function answerCompute(state: FakeState, request: SeenRequest): Answer {
  const place = request.path.replace(/^compute\/v1\/projects\/[^/]+\//, "");
  const missing = refuse(404, "NOT_FOUND", `The resource '${request.path}' was not found`, "notFound");
  if (place === "zones") {
    const items = state.zones.map((name) => ({ name, status: "UP", region: `${origin}regions/${name.replace(/-[a-z]$/, "")}` }));
    return { status: 200, body: { items } };
  }
  if (place === "aggregated/instances") return listInstances(state, request);
  const [, group] = /\/instanceGroupManagers\/gke--(.+)$/.exec(place) ?? [];
  if (group !== undefined) return { status: 200, body: { targetSize: state.sizes.get(group.replaceAll("--", "/")) ?? 0 } };
  const [, type] = /^zones\/[^/]+\/machineTypes\/([^/]+)$/.exec(place) ?? [];
  if (type !== undefined) return /^[a-z]\d/.test(type) ? { status: 200, body: { name: type } } : missing;
  const [, operation] = /^(?:zones\/[^/]+|global)\/operations\/([^/]+)$/.exec(place) ?? [];
  if (operation !== undefined) {
    const found = state.operations.get(operation);
    return found === undefined ? missing : { status: 200, body: renderOperation(found) };
  }
  const [, zone = "", name, verb] = /^zones\/([^/]+)\/instances(?:\/([^/]+))?(?:\/(\w+))?$/.exec(place) ?? [];
  const repeated = state.requests.get(request.query["requestId"]?.[0] ?? "");
  if (repeated !== undefined) return { status: 200, body: renderOperation(repeated) };
  const start: Begin = (target, finish) => begin(state, target, request, finish);
  const other = answerFirewalls(state, place, request, start) ?? answerDisks(state, place, request, start);
  if (other !== undefined) return other;
  if (name === undefined) return insert(state, zone, request);
  const key = `${zone}/${name}`;
  const instance = state.instances.get(key);
  if (instance === undefined) return missing;
  if (verb === "serialPort") return { status: 200, body: { contents: "login: " } };
  if (request.method === "GET") return { status: 200, body: { ...instance } };
  const attached = answerAttachments(state, { key, verb: verb ?? "" }, request, start);
  if (attached !== undefined) return attached;
  return change(state, key, instance, request.method === "DELETE" ? "delete" : (verb ?? ""), request);
}

function listInstances(state: FakeState, { query }: SeenRequest): Answer {
  const filter = query["filter"]?.[0] ?? "";
  const name = /name = "([^"]+)"/.exec(filter)?.[1];
  const labels = [...filter.matchAll(/labels\.(\S+) = "([^"]*)"/g)];
  const items: Record<string, object> = { "zones/us-east1-b": { warning: { code: "NO_RESULTS_ON_PAGE" } } };
  for (const zone of state.missingZones) items[`zones/${zone}`] = { warning: { code: "UNREACHABLE" } };
  const all = [...state.instances].filter(
    ([, instance]) =>
      (name === undefined || instance.name === name) && labels.every(([, key = "", value]) => instance.labels?.[key] === value),
  );
  // One instance per page, so that tests read every list page by page.
  const page = Number(query["pageToken"]?.[0] ?? 0);
  for (const [key, instance] of all.slice(page, page + 1)) items[`zones/${key.split("/")[0]}`] = { instances: [instance] };
  return { status: 200, body: { items, ...(page + 1 < all.length ? { nextPageToken: String(page + 1) } : {}) } };
}

function renderOperation({ name, isDone, error }: FakeOperation) {
  const status = isDone ? "DONE" : "RUNNING";
  return { name, status, ...(isDone && error !== undefined ? { error, httpErrorStatusCode: 400 } : {}) };
}

function begin(state: FakeState, target: string, { query }: SeenRequest, finish: () => void): Answer {
  const operation = state.start(target, finish);
  const requestId = query["requestId"]?.[0];
  if (requestId !== undefined) state.requests.set(requestId, operation);
  return { status: 200, body: renderOperation(operation) };
}

function insert(state: FakeState, zone: string, request: SeenRequest): Answer {
  const requested = request.body as Instance;
  const key = `${zone}/${requested.name}`;
  if (state.instances.has(key)) return refuse(409, "", `The resource '${key}' already exists`, "alreadyExists");
  const isPublic = (requested.networkInterfaces?.[0]?.accessConfigs ?? []).length > 0;
  const made: Instance = {
    ...requested,
    zone: `${origin}projects/my-project/zones/${zone}`,
    machineType: `${origin}projects/my-project/${requested.machineType}`,
    status: "STAGING",
    labelFingerprint: "f",
    creationTimestamp: "2026-01-01T00:00:00Z",
    disks: (requested.disks ?? []).map((disk) => ({ ...disk, diskSizeGb: disk.initializeParams?.diskSizeGb ?? "10" })),
    networkInterfaces: [
      {
        ...requested.networkInterfaces?.[0],
        networkIP: "10.0.0.2",
        ...(isPublic ? { accessConfigs: [{ natIP: "203.0.113.20" }] } : {}),
      },
    ],
  };
  const answer = begin(state, key, request, () => state.instances.set(key, { ...made, status: "RUNNING" }));
  const operation = [...state.operations.values()].at(-1);
  if (operation?.error === undefined) state.instances.set(key, made);
  return answer;
}

const changes: Readonly<Record<string, readonly [during: string, after: string]>> = {
  stop: ["STOPPING", "TERMINATED"],
  start: ["STAGING", "RUNNING"],
  resume: ["STAGING", "RUNNING"],
  delete: ["STOPPING", ""],
};

function change(state: FakeState, key: string, instance: Instance, verb: string, request: SeenRequest): Answer {
  if (verb.startsWith("set")) return begin(state, key, request, () => state.instances.set(key, set(instance, verb, request)));
  const [during = "", after = ""] = changes[verb] ?? [];
  if (verb === "start" && instance.status === "SUSPENDED")
    return refuse(400, "", "Instance is suspended; resume it instead.", "invalid");
  state.instances.set(key, { ...instance, status: during });
  return begin(state, key, request, () => {
    if (after === "") state.instances.delete(key);
    else state.instances.set(key, { ...instance, status: after });
  });
}

function set(instance: Instance, verb: string, { body }: SeenRequest): Instance {
  if (verb === "setTags") return { ...instance, tags: body as object };
  if (verb === "setMetadata") return { ...instance, metadata: body as object };
  const { labels, machineType } = body as { readonly labels?: Record<string, string>; readonly machineType?: string };
  return {
    ...instance,
    ...(labels === undefined ? {} : { labels }),
    ...(machineType === undefined ? {} : { machineType: `${origin}projects/my-project/${machineType}` }),
  };
}
