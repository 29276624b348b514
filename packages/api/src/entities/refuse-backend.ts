import { findBackendType, type AllowedBackend, type BackendSettingsMap, type StateOwner } from "@cloudwright/contract";
import { Fault, type FieldViolation } from "@cloudwright/platform";
import { apiFaults } from "../faults.ts";

/** `spec.infra.backend` as a caller sends it. Empty strings are treated as unset. */
export interface GivenBackend {
  readonly name: string;
  readonly type: string;
  readonly settings: BackendSettingsMap;
}

/**
 * Returns the fault for a new entity whose state backend is not allowed. `allowed` contains the backends that the project may use. If the
 * entity names one of them, or only one has the same type, the fault lists the fields that differ from that backend.
 */
export function refuseBackend({ project }: StateOwner, given: GivenBackend, allowed: readonly AllowedBackend[]): Fault {
  const meant = findMeant(given, allowed);
  const differing = meant === undefined ? [] : listDifferences(meant, given);
  if (meant !== undefined && differing.length > 0) {
    const words = differing.map(({ field, message }) => `${field} ${message}`).join("; ");
    const message = `the project "${project}" may use the state backend "${meant.name}", but not with these settings: ${words}`;
    return new Fault(apiFaults.backend_not_allowed, message, { fields: differing });
  }
  const what = given.name === "" ? "an external state backend with these settings" : `the state backend "${given.name}"`;
  const others = allowed.map(({ name }) => `"${name}"`).join(", ");
  const choice = others === "" ? "it may not use any external backend" : `it may use ${others}`;
  const message = `the project "${project}" may not use ${what}; ${choice}`;
  return new Fault(apiFaults.backend_not_allowed, message, {
    fields: [{ field: "spec.infra.backend", message: "an operator must allow the project to use the backend" }],
  });
}

function findMeant({ name, type }: GivenBackend, allowed: readonly AllowedBackend[]): AllowedBackend | undefined {
  if (name !== "") return allowed.find((one) => one.name === name);
  const [first, ...others] = allowed.filter((one) => one.type === type);
  return others.length === 0 ? first : undefined;
}

function listDifferences(backend: AllowedBackend, given: GivenBackend): FieldViolation[] {
  const path = "spec.infra.backend";
  if (given.type !== "" && given.type !== backend.type)
    return [{ field: `${path}.type`, message: `is ${given.type}, but the backend has the type ${backend.type}` }];
  const location = findBackendType(backend.type)?.location;
  return Object.entries(given.settings).flatMap(([name, value]): FieldViolation[] => {
    const own = Object.hasOwn(backend.settings, name) ? backend.settings[name] : undefined;
    if (name === location || own === value) return [];
    const message =
      own === undefined ? `is set, but the backend has no setting ${name}` : `is "${value}", but the backend has "${own}"`;
    return [{ field: `${path}.settings.${name}`, message }];
  });
}
