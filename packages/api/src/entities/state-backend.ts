import {
  describesBackend,
  findBackendProblem,
  findBackendType,
  isBackendAllowed,
  mayUseLocation,
  renderPlainLocation,
  renderProjectFolder,
  renderStateLocation,
  systemProject,
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
import { refuseBackend, type GivenBackend } from "./refuse-backend.ts";
import { getAt, isEqual, isObject, setAt, textAt } from "./json-tree.ts";
import { unsealSecrets } from "./secrets.ts";

/** A backend that an operator created, with its stored row. */
export type ListedBackend = AllowedBackend & { readonly row: BackendRow };

const path = ["infra", "backend"];

/**
 * Resolves the external state backend of a new entity. The returned spec names the backend and contains all of its settings, so that later
 * changes to the list of backends never move a state. Throws unless an operator allows the project to use the backend.
 */
export async function resolveBackend({ pool }: Pick<ApiDeps, "pool">, owner: StateOwner, spec: JsonObject): Promise<JsonObject> {
  const given = findGiven(spec);
  if (given === undefined) return spec;
  const all = (await listBackends(pool)).map(readBackend);
  const allowed = all.filter((backend) => isBackendAllowed(backend, owner.project));
  const backend = allowed.find((one) => (given.name === "" || one.name === given.name) && describesBackend(one, given));
  if (backend === undefined) throw refuseBackend(owner, given, allowed);
  const { location: setting } = getFacts(backend.type);
  const location = given.settings[setting] ?? renderStateLocation(backend, owner);
  if (!mayUseLocation(backend, all, location, owner)) throw refuseLocation(backend, setting, owner);
  const { name, type, settings } = backend;
  return setAt(spec, path, { name, type, settings: { ...settings, [setting]: location } });
}

/** Keeps the stored backend if an update refers to the same backend, even if the update omits some fields. */
export function keepBackend(spec: JsonObject, current: JsonObject): JsonObject {
  const [given, stored] = [findGiven(spec), findGiven(current)];
  if (given === undefined || stored === undefined) return spec;
  const isSame =
    (given.name === "" || given.name === stored.name) &&
    (given.type === "" || given.type === stored.type) &&
    Object.entries(given.settings).every(([name, value]) => stored.settings[name] === value);
  return isSame ? setAt(spec, path, getAt(current, path)) : spec;
}

/** The backend that a run may use, with its secrets keyed by environment variable. */
export interface OpenedBackend {
  readonly name: string;
  readonly type: string;
  readonly settings: BackendSettingsMap;
  readonly secrets: Readonly<Record<string, string>>;
}

/**
 * Opens the external state backend of a stored entity for a run on an agent of the project `agentProject`. Returns undefined if the platform
 * stores the state. Throws if the project may no longer use the backend, or if the agent must not see the backend's secrets. An entity created
 * before operators had to allow backends keeps its original backend, unless `unlistedBackends` is `refuse`.
 */
export async function openBackend(
  { pool, keyRing, log, unlistedBackends = "keep" }: Pick<ApiDeps, "pool" | "keyRing" | "log" | "unlistedBackends">,
  owner: StateOwner,
  stored: JsonObject | null,
  agentProject: string,
): Promise<OpenedBackend | undefined> {
  const use = judgeUse((await listBackends(pool)).map(readBackend), owner, stored);
  if (use === undefined) return undefined;
  const { given, backend, problem, message, location } = use;
  if (problem === "UNLISTED" && unlistedBackends === "keep") {
    log.warn({ ...owner, type: given.type }, "an entity uses an external state backend that no operator has allowed");
  } else if (problem !== "") throw close(owner, given.name, message);
  const settings = { ...given.settings, [use.locationSetting]: location };
  const secrets = backend === undefined ? {} : openSecrets(keyRing, backend.row);
  if (backend !== undefined && Object.keys(secrets).length > 0) requireTrustedAgent(backend, owner, agentProject);
  return { name: backend?.name ?? "", type: given.type, settings, secrets };
}

/**
 * Throws if an agent that a project operates would receive the secrets of a backend in which other projects store states. The secrets give
 * access to the whole backend.
 */
function requireTrustedAgent({ name, projects }: ListedBackend, { kind, project }: StateOwner, agentProject: string): void {
  const isOwn = projects.length === 1 && projects[0] === agentProject;
  if (agentProject === systemProject || isOwn) return;
  const message = `this ${kind} in project "${project}" needs the secrets of the state backend "${name}", which other projects use too; only agents of the project "${systemProject}" receive them`;
  throw new Fault(apiFaults.backend_agent_refused, message);
}

/** The reason why an entity's runs may not use an external backend. Empty if they may use it. */
export type BackendUseProblem = "" | "INVALID" | "UNLISTED" | "PROJECT_NOT_ALLOWED" | "LOCATION_NOT_ALLOWED";

/** The external backend that a stored entity uses, and whether an operator allows this use. */
export interface BackendUse {
  readonly given: GivenBackend;
  readonly backend: ListedBackend | undefined;
  readonly location: string;
  /** The setting that contains the location. */
  readonly locationSetting: string;
  readonly problem: BackendUseProblem;
  readonly message: string;
}

/**
 * Checks whether a stored entity may use its external backend. Returns undefined if the platform stores the state. Entities created by
 * earlier releases do not name a backend. They are matched to the backend with the same type and settings, and may keep the location that
 * the platform chose for them. A location that a user chose outside the project's folder must be among the backend's kept locations.
 */
export function judgeUse(all: readonly ListedBackend[], owner: StateOwner, stored: JsonObject | null): BackendUse | undefined {
  const given = findGiven({ infra: { backend: stored } });
  if (given === undefined) return undefined;
  const { name, type, settings } = given;
  const invalidity = findBackendProblem(type, settings, { mayLocate: true });
  const isOld = name === "";
  const plain = findBackendType(type) === undefined ? "" : renderPlainLocation(type, owner);
  const locationSetting = findBackendType(type)?.location ?? "";
  const location = settings[locationSetting] ?? (isOld ? plain : "");
  const judged = (problem: BackendUseProblem, message: string, backend?: ListedBackend): BackendUse => {
    return { given, location, locationSetting, problem, message, backend };
  };
  if (invalidity !== undefined) return judged("INVALID", `spec.infra.backend.${invalidity.field}: ${invalidity.message}`);
  const matches = all.filter((one) => (isOld || one.name === name) && describesWhole(one, given));
  const allowed = matches.filter((one) => isBackendAllowed(one, owner.project));
  const fitting = allowed.find((one) => (isOld && location === plain) || mayUseLocation(one, all, location, owner));
  if (fitting !== undefined) return judged("", "", fitting);
  if (isOld && matches.length === 0) return judged("UNLISTED", "no operator has allowed the project to use it");
  if (allowed.length === 0) return judged("PROJECT_NOT_ALLOWED", "the project is not in its list of projects", matches[0]);
  return judged("LOCATION_NOT_ALLOWED", `"${location}" does not belong to the project`, allowed[0]);
}

function describesWhole(backend: ListedBackend, { type, settings }: GivenBackend): boolean {
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

/** Reads the stored form of a backend. */
export function readBackend(row: BackendRow): ListedBackend {
  const { type = "", settings = {}, prefix = "", projects = [], keptLocations = {} } = row.spec;
  return { name: row.name, type, settings, prefix, projects, keptLocations, row };
}

function getFacts(type: string): NonNullable<ReturnType<typeof findBackendType>> {
  const found = findBackendType(type);
  if (found === undefined) throw new Error(`unknown backend type ${type}`);
  return found;
}

function refuseLocation(backend: ListedBackend, setting: string, owner: StateOwner): Fault {
  const isFixed = getFacts(backend.type).isLocationFixed;
  const folder = renderProjectFolder(backend, owner.project);
  const message = isFixed ? "must not be set; the platform chooses it" : `must be a path that starts with "${folder}"`;
  return invalid(`the ${owner.kind}`, [{ field: `spec.infra.backend.settings.${setting}`, message }]);
}

function close({ kind, project }: StateOwner, name: string, why: string): Fault {
  const what = name === "" ? "the external state backend in its spec" : `the state backend "${name}"`;
  return new Fault(apiFaults.backend_refused, `this ${kind} in project "${project}" may not use ${what}: ${why}`);
}
