import { getKind, isEntityKind, methods, type JsonObject, type Method } from "@cloudwright/contract";
import { createUid, systemClock } from "@cloudwright/platform";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Person, TestApi } from "../testing/test-api.ts";
import { callConnect } from "../testing/connect-call.ts";
import { listRestRequests, renderMessage, type Place, type RestRequest } from "../testing/method-requests.ts";
import { getSeed, renderEntity, type Seed, type Seeds } from "../testing/seed-project.ts";
import { startTwoProjects } from "../testing/two-projects.ts";

/** Two requests that differ only in their target: an entity in the other project, and an entity that does not exist. */
interface Probe {
  readonly what: string;
  readonly theirs: Place;
  readonly unknown: Place;
}

const unknown: Seed = { name: "nobody-made-this", uid: createUid(systemClock.now()) };

let api: TestApi;
let ada: Person;
let ours: Seeds;
let theirs: Seeds;

beforeAll(async () => {
  ({ api, ada, ours, theirs } = await startTwoProjects());
});
afterAll(() => api.close());

describe("M009 an entity in another project gets the same response as one that does not exist:", () => {
  test.each(methods)("$id", async (method) => {
    const before = await api.countStored();
    const probes = listProbes(method);
    for (const { what, theirs: real, unknown: made } of probes) {
      const asked = listRestRequests(method, real);
      const control = listRestRequests(method, made);
      for (const [index, request] of asked.entries()) {
        const answer = await ask(request, real);
        expect([what, answer]).toEqual([what, await ask(control[index] ?? request, made)]);
        expect([what, answer.status]).toEqual([what, expect.toBeOneOf([400, 403, 404])]);
      }
      expect([what, await askConnect(method, real)]).toEqual([what, await askConnect(method, made)]);
    }
    expect(await api.countStored()).toEqual(before);
    const carried = Object.keys(renderMessage(method, { project: "a", parent: "b", name: "c", entity: {} }));
    expect(probes.length > 0).toBe(carried.some((field) => ["project", "parent", "name", "entity"].includes(field)));
  });
});

function listProbes(method: Method): Probe[] {
  return [probeProject, probeEntity, probeParent, probeReferences, probeNames].flatMap((probe) => probe(method));
}

function probeProject(method: Method): Probe[] {
  const [binding] = method.bindings.length > 0 ? method.bindings : listOf(method.kind).bindings;
  if (binding?.path.includes("{project}") !== true) return [];
  const place = placeIn("theirs", theirs, method);
  return (["name", "uid"] as const).map((by) => ({
    what: `their project by ${by}`,
    theirs: { ...place, project: getSeed(theirs, "Project")[by] },
    unknown: { ...place, project: unknown[by] },
  }));
}

function probeEntity(method: Method): Probe[] {
  // A preflight request may name an entity that does not exist.
  if (method.verb === "preflight" || method.bindings.every(({ path }) => !path.includes("{name}"))) return [];
  const place = placeIn("ours", ours, method);
  const seed = getSeed(theirs, method.kind);
  return (["name", "uid"] as const).map((by) => ({
    what: `their ${method.kind} by ${by}`,
    theirs: { ...place, name: seed[by] },
    unknown: { ...place, name: unknown[by] },
  }));
}

function probeParent(method: Method): Probe[] {
  if (method.kind !== "NodePool") return [];
  const place = { ...placeIn("ours", ours, method), name: getSeed(theirs, "NodePool").name };
  return (["name", "uid"] as const).map((by) => ({
    what: `their Cluster by ${by}`,
    theirs: { ...place, parent: getSeed(theirs, "Cluster")[by] },
    unknown: { ...place, parent: unknown[by] },
  }));
}

/** Verbs whose request body contains an entity. */
const writing = ["create", "update", "preflight"];

/** Builds probes whose body references a parent, an environment or, for API keys, another user. */
function probeReferences(method: Method): Probe[] {
  const { verb, kind } = method;
  if (!isEntityKind(kind) || !writing.includes(verb)) return [];
  const { scope, parent } = getKind(kind);
  const place = placeIn("ours", ours, method);
  const metadata = { ...(place.entity["metadata"] as JsonObject), name: place.name || "new" };
  const spec = place.entity["spec"] as JsonObject;
  const probes = (["name", "uid"] as const).flatMap((by) => {
    const refer = (what: string, render: (ref: string) => JsonObject, target: Seed): Probe => ({
      what: `their ${what} by ${by}`,
      theirs: { ...place, entity: render(target[by]) },
      unknown: { ...place, entity: render(unknown[by]) },
    });
    const inEnvironment = (ref: string): JsonObject => ({ metadata: { ...metadata, environment: ref }, spec });
    const below =
      (field: string) =>
      (ref: string): JsonObject => ({ metadata, spec: { ...spec, [field]: ref } });
    return [
      ...(scope === "project" ? [refer("Environment", inEnvironment, getSeed(theirs, "Environment"))] : []),
      ...(parent?.field === undefined ? [] : [refer(parent.kind, below(parent.field), getSeed(theirs, parent.kind))]),
      ...(kind === "ApiKey" ? [refer("User", below("user"), getSeed(theirs, "User"))] : []),
    ];
  });
  return probes;
}

/**
 * Builds probes for names that are unique across the platform. API keys are excluded: all users share one namespace for them, so anyone can
 * run into a conflict.
 */
function probeNames(method: Method): Probe[] {
  const { verb, kind } = method;
  if (verb !== "create" || !["Project", "User", "Backend"].includes(kind)) return [];
  const place = placeIn("ours", ours, method);
  const [taken, free] = [getSeed(theirs, kind).name, unknown.name].map((name) => ({
    ...place,
    entity: { ...place.entity, metadata: { name } },
  }));
  return [{ what: `the name of their ${kind}`, theirs: taken as Place, unknown: free as Place }];
}

function placeIn(project: string, seeds: Seeds, { kind, verb }: Method): Place {
  const parent = kind === "NodePool" ? getSeed(seeds, "Cluster").name : "";
  const name = verb === "create" ? "" : (seeds.get(kind)?.name ?? "");
  const writes = isEntityKind(kind) && writing.includes(verb);
  return { project, parent, name, entity: writes ? renderEntity(kind, name || "new", seeds) : {} };
}

function listOf(kind: string): Method {
  const list = methods.find((method) => method.verb === "list" && method.kind === kind);
  if (list === undefined) throw new Error(`${kind} has no list`);
  return list;
}

/** Sends a request. Returns the response without the requested names and without values that differ between calls. */
async function ask(request: RestRequest, place: Place): Promise<{ status: number; text: string; headers: string[] }> {
  const { status, headers, body } = await api.send({ ...request, key: ada.key });
  const { requestId: _id, instance: _path, ...rest } = body as unknown as JsonObject;
  return { status, text: withoutInputs(rest, place), headers: Object.keys(headers) };
}

async function askConnect(method: Method, place: Place): Promise<string> {
  const outcome = await callConnect(api.url, method, renderMessage(method, place), { key: ada.key });
  return withoutInputs({ ...outcome }, place);
}

function withoutInputs(answer: JsonObject, { project, parent, name, entity }: Place): string {
  const { environment = "", ...metadata } = (entity["metadata"] as JsonObject) ?? {};
  const inputs = [project, parent, name, environment, metadata["name"], ...Object.values((entity["spec"] ?? {}) as JsonObject)];
  const words = inputs.filter((input) => typeof input === "string");
  return words.reduce((text, word) => text.replaceAll(`\\"${word}\\"`, '\\"*\\"'), JSON.stringify(answer));
}
