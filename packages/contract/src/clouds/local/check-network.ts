import { confirmProblems, type SpecCheck } from "../spec-checks.ts";

/** The fields of a network's spec to which the rules apply. */
interface NetworkShape {
  readonly region?: string;
  readonly zones?: readonly string[];
  readonly subnets?: Readonly<Record<string, readonly string[] | undefined>>;
  readonly nat?: string;
  readonly existing?: object;
  readonly infra?: { readonly version?: string; readonly overrides?: object; readonly backend?: object };
  readonly local?: { readonly bridge?: string };
}

/** Returns the settings that networks on the user's own machines do not have. */
export const checkLocalNetwork: SpecCheck = ({ spec }) => {
  const { region = "", zones = [], subnets = {}, nat = "", existing, infra = {}, local = {} } = spec as NetworkShape;
  const hasSubnets = Object.values(subnets).some((ranges) => ranges !== undefined && ranges.length > 0);
  const terraform = "must not be set; it applies to Terraform only, which does not build networks on your own machines";
  return confirmProblems([
    [region !== "", "spec.region", `must be empty; your own machines have no regions`],
    [zones.length > 0, "spec.zones", "must be empty; your own machines have no zones"],
    [hasSubnets, "spec.subnets", "must be empty; a network on your own machines has a single range"],
    [
      !["", "none"].includes(nat),
      "spec.nat",
      `is ${nat}; leave it empty so that instances reach the outside through their machine, or use none`,
    ],
    [existing !== undefined, "spec.existing", "must not be set; existing networks of your own machines cannot be used"],
    [(local.bridge ?? "") !== "", "spec.local.bridge", "must be empty; the platform creates a bridge for each network"],
    [(infra.version ?? "") !== "", "spec.infra.version", terraform],
    [infra.overrides !== undefined, "spec.infra.overrides", terraform],
    [infra.backend !== undefined, "spec.infra.backend", terraform],
  ]);
};
