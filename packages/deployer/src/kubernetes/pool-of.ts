/**
 * Creates a function that returns the node pool of a Terraform resource: the first part of the key of a resource named `pool` of one of the
 * given types. For example, the pool of `TYPE.pool["spot/b"]` is `spot`.
 */
export function createPoolOf(types: readonly string[]): (address: string) => string | undefined {
  return (address) => {
    const [resource = "", key = ""] = address.split('["');
    return types.some((type) => resource === `${type}.pool`) ? /^[^/"]+/.exec(key)?.[0] : undefined;
  };
}
