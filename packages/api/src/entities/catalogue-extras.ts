/**
 * Regions, zones, machine types and Kubernetes versions that operators add to the built-in catalogue, written as `cloud:name`. They let
 * users choose items that the cloud introduced after this release of the platform.
 */
export interface CatalogueExtras {
  readonly regions: ReadonlySet<string>;
  readonly zones: ReadonlySet<string>;
  readonly machineTypes: ReadonlySet<string>;
  readonly kubernetesVersions: ReadonlySet<string>;
}

export const noExtras: CatalogueExtras = {
  regions: new Set(),
  zones: new Set(),
  machineTypes: new Set(),
  kubernetesVersions: new Set(),
};
