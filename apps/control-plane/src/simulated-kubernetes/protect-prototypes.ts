type Realm = Pick<typeof globalThis, "Object" | "Array" | "Function">;

/**
 * Makes the shared prototypes of this process read-only, so that a defect in the handling of one tenant's objects cannot change another
 * tenant's objects. Removes the `__proto__` accessor. Objects can still have fields with the names of inherited members.
 */
export function protectPrototypes(realm: Realm = globalThis): void {
  const { Object: base } = realm;
  const shared = base.prototype as object;
  delete (shared as { __proto__?: unknown }).__proto__;
  for (const name of base.getOwnPropertyNames(shared)) {
    const value: unknown = base.getOwnPropertyDescriptor(shared, name)?.value;
    // If a frozen prototype defines a data property, assigning to that property fails for every object that inherits it. An accessor
    // avoids this.
    base.defineProperty(shared, name, {
      get: () => value,
      set(this: object, given: unknown) {
        if (this === shared) throw new TypeError(`Object.prototype.${name} is read-only`);
        base.defineProperty(this, name, { value: given, writable: true, enumerable: true, configurable: true });
      },
    });
  }
  base.freeze(shared);
  for (const other of [realm.Array, realm.Function]) base.preventExtensions(other.prototype);
}
