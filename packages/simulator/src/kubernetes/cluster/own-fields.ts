import { StatusError } from "../api/status-error.ts";

// Clients choose the names of fields. `fields[name]` would also find `constructor` and other members that all objects inherit, and an
// assignment to `__proto__` would replace the prototype. These functions read and write only an object's own fields.

/** Returns a field that belongs to the object itself. Returns undefined if the value is not an object or does not have the field. */
export function findField<Value>(fields: Readonly<Record<string, Value>> | null | undefined, name: string): Value | undefined {
  return hasField(fields, name) ? (fields as Readonly<Record<string, Value>>)[name] : undefined;
}

/** Returns whether a field belongs to an object itself and is not inherited. */
export function hasField(fields: unknown, name: string): boolean {
  return typeof fields === "object" && fields !== null && Object.hasOwn(fields, name);
}

/** Sets an object's own field. Never changes the prototype of the object. */
export function setField(fields: object, name: string, value: unknown): void {
  if (name in Object.prototype)
    Object.defineProperty(fields, name, { value, writable: true, enumerable: true, configurable: true });
  else (fields as Record<string, unknown>)[name] = value;
}

/** Name that no field may have, because JavaScript uses it for the prototype of an object. */
const reservedName = "__proto__";

/** Creates the error for a field with a reserved name. */
export function reservedField(): StatusError {
  return new StatusError(400, "BadRequest", `the field name "${reservedName}" is reserved; use another name`);
}

/** Throws if a value contains a field with a reserved name at any depth. */
export function refuseReservedFields(value: unknown): void {
  const left = [value];
  while (left.length > 0) {
    const next = left.pop();
    if (typeof next !== "object" || next === null) continue;
    if (Object.hasOwn(next, reservedName)) throw reservedField();
    for (const part of Object.values(next)) left.push(part);
  }
}

/** Returns whether a field name is reserved. */
export function isReservedName(name: string): boolean {
  return name === reservedName;
}
