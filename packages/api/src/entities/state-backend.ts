import {
  describesBackend,
  findBackendProblem,
  findBackendType,
  isBackendAllowed,
  isOwnLocation,
  renderPlainLocation,
  renderProjectFolder,
  renderStateLocation,
  type AllowedBackend,
  type BackendSettingsMap,
  type JsonObject,
  type StateOwner,
} from "@cloudwright/contract";
import { Fault } from "@cloudwright/platform";
import { listBackends, type BackendRow } from "@cloudwright/store";
import { invalid } from "../calls/decode.ts";
import type { ApiDeps } from "../deps.ts";
import { apiFaults } from "../faults.ts";
import { getAt, isEqual, isObject, setAt, textAt } from "./json-tree.ts";
import { unsealSecrets } from "./secrets.ts";

/** `spec.infra.backend` as a caller sends it. Empty strings count as unset. */
interface GivenBackend {
  readonly name: string;
  readonly type: string;
  readonly settings: BackendSettingsMap;
}

type Listed = AllowedBackend & { readonly row: BackendRow };

const path = ["infra", "backend"];

/**
 * Resolves the external state backend of a new entity. The returned spec names the backend and contains all of its settings, so that later
 * changes to the list of backends never move a state. Throws unless an operator allows the project to use the backend.
 */
export async function resolveBackend({ pool }: Pick<ApiDeps, "pool">, owner: StateOwner, spec: JsonObject): Promise<JsonObject> {
  const given = findGiven(spec);
  if (given === undefined) return spec;
  const allowed = (await listBackends(pool)).map(readRow).filter((backend) => isBackendAllowed(backend, owner.project));
  const backend = allowed.find((one) => (given.name === "" || one.name === given.name) && describesBackend(one, given));
  if (backend === undefined) throw refuse(owner, given, allowed);
  const { location: setting } = getFacts(backend.type);
  const location = given.settings[setting] ?? renderStateLocation(backend, owner);
  if (!isOwnLocation(backend, location, owner)) throw refuseLocation(backend, setting, owner);
  const { name, type, settings } = backend;
  return setAt(spec, path, { name, type, settings: { ...settings, [setting]: location } });
}

/** Keeps the stored backend if an update names the same one, possibly with fewer details. */
export function keepBackend(spec: JsonObject, current: JsonObject): JsonObject {
  const [given, stored] = [findGiven(spec), findGiven(current)];
  if (given === undefined || stored === undefined) return spec;
  const isSame =
    (given.name === "" || given.name === stored.name) &&
    (given.type === "" || given.type === stored.type) &&
    Object.entries(given.settings).every(([name, value]) => stored.settings[name] === value);
  return isSame ? setAt(spec, path, getAt(current, path)) : spec;
}

/** The backend that a run may use, with its secrets by environment variable. */
export interface OpenedBackend {
  readonly name: string;
  readonly type: string;
  readonly settings: BackendSettingsMap;
  readonly secrets: Readonly<Record<string, string>>;
}

/**
 * Opens the external state backend of a stored entity for a run. Returns undefined if the platform stores the state. Throws if the project
 * may no longer use the backend. An entity created before operators had to allow backends keeps its original backend.
 */
export async function openBackend(
  { pool, keyRing, log, unlistedBackends = "keep" }: Pick<ApiDeps, "pool" | "keyRing" | "log" | "unlistedBackends">,
  owner: StateOwner,
  stored: JsonObject | null,
): Promise<OpenedBackend | undefined> {
  const given = findGiven({ infra: { backend: stored } });
  if (given === undefined) return undefined;
  const { name, type, settings } = given;
  const problem = findBackendProblem(type, settings, { mayLocate: true });
  if (problem !== undefined) throw close(owner, name, `spec.infra.backend.${problem.field}: ${problem.message}`);
  const { location: setting } = getFacts(type);
  const allowed = (await listBackends(pool)).map(readRow).filter((one) => isBackendAllowed(one, owner.project));
  const match = allowed.find((one) => (name === "" || one.name === name) && describesWhole(one, given));
  if (name !== "") {
    const location = settings[setting] ?? "";
    if (match === undefined) throw close(owner, name, "the project is not in its list of projects");
    if (!isOwnLocation(match, location, owner)) throw close(owner, name, `"${location}" does not belong to the project`);
    return { name, type, settings, secrets: openSecrets(keyRing, match.row) };
  }
  const located = { ...settings, [setting]: settings[setting] ?? renderPlainLocation(type, owner) };
  if (match !== undefined) return { name: match.name, type, settings: located, secrets: openSecrets(keyRing, match.row) };
  if (unlistedBackends === "refuse") throw close(owner, name, "no operator has allowed the project to use it");
  log.warn({ ...owner, type }, "an entity uses an external state backend that no operator has allowed");
  return { name, type, settings: located, secrets: {} };
}

function describesWhole(backend: Listed, { type, settings }: GivenBackend): boolean {
  const { [getFacts(type).location]: _location, ...rest } = settings;
  return backend.type === type && isEqual({ ...backend.settings }, rest);
}

function openSecrets(keyRing: ApiDeps["keyRing"], { uid, spec, sealed }: BackendRow): Record<string, string> {
  const secrets = unsealSecrets(keyRing, uid, sealed);
  const { variables } = getFacts(spec.type ?? "");
  const values = Object.entries(variables).map(([field, variable]) => [
    variable,
    field === "accessKeyId" ? (spec.accessKeyId ?? "") : (secrets[`spec.${field}`] ?? ""),
  ]);
  return Object.fromEntries(values.filter(([, value]) => value !== "")) as Record<string, string>;
}

function findGiven(spec: JsonObject): GivenBackend | undefined {
  const backend = getAt(spec, path);
  if (!isObject(backend)) return undefined;
  const given = {
    name: textAt(backend, "name"),
    type: textAt(backend, "type"),
    settings: (isObject(backend["settings"]) ? backend["settings"] : {}) as BackendSettingsMap,
  };
  return given.name === "" && given.type === "" && Object.keys(given.settings).length === 0 ? undefined : given;
}

function readRow(row: BackendRow): Listed {
  const { type = "", settings = {}, prefix = "", projects = [] } = row.spec;
  return { name: row.name, type, settings, prefix, projects, row };
}

function getFacts(type: string): NonNullable<ReturnType<typeof findBackendType>> {
  const found = findBackendType(type);
  if (found === undefined) throw new Error(`unknown backend type ${type}`);
  return found;
}

function refuse({ project }: StateOwner, { name }: GivenBackend, allowed: readonly Listed[]): Fault {
  const what = name === "" ? "an external state backend with these settings" : `the state backend "${name}"`;
  const others = allowed.map((one) => `"${one.name}"`).join(", ");
  const message = `the project "${project}" may not use ${what}; it may use ${others === "" ? "no external backend" : others}`;
  return new Fault(apiFaults.backend_not_allowed, message, {
    fields: [{ field: "spec.infra.backend", message: "an operator must allow the project to use the backend" }],
  });
}

function refuseLocation(backend: Listed, setting: string, owner: StateOwner): Fault {
  const isFixed = getFacts(backend.type).isLocationFixed;
  const folder = renderProjectFolder(backend, owner.project);
  const message = isFixed ? "must not be set; the platform chooses it" : `must be a path that starts with "${folder}"`;
  return invalid(`the ${owner.kind}`, [{ field: `spec.infra.backend.settings.${setting}`, message }]);
}

function close({ kind, project }: StateOwner, name: string, why: string): Fault {
  const what = name === "" ? "the external state backend in its spec" : `the state backend "${name}"`;
  return new Fault(apiFaults.backend_refused, `a ${kind} in project "${project}" may not use ${what}: ${why}`);
}
