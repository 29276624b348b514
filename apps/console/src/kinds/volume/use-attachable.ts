import { useEntities } from "../../data/live.tsx";

/** Returns the names of the instances in an account. Only these can have the account's volumes. */
export function useAttachable(account: string): string[] {
  const [networks, instances] = [useEntities("Network"), useEntities("Instance")];
  const own = new Set(networks.filter(({ spec }) => spec?.account === account).map(({ metadata }) => metadata.name));
  return instances.filter(({ spec }) => own.has(spec?.network ?? "")).map(({ metadata }) => metadata.name);
}
