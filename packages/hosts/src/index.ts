/**
 * Turns a Linux machine into a host of a small cloud, with images, instances, networks, firewalls and volumes. It uses only features of the
 * kernel and programs of the distribution. Every operation can be repeated: it finds what an interrupted attempt left and continues. This
 * package knows no entity, no API and no database.
 */
export { hostsFaults } from "./faults.ts";
export { claimMachine } from "./claim-machine.ts";
export { identifyMachine, type MachineIdentity } from "./machine-identity.ts";
export { nameObject, prefix } from "./names.ts";
export { openRecords, type Records } from "./records.ts";
export { runTool, type ToolOptions, type ToolResult } from "./run-tool.ts";
export { openFirewall, type Firewall } from "./firewall/firewall.ts";
export { checkGroup, type Group, type ProtectedPort, type Rule } from "./firewall/rules.ts";
export type { Network, Port, PortSpec, Vxlan } from "./networks/network.ts";
export { hasOpenVswitch } from "./networks/switches.ts";
export { openNetworks, type Networks } from "./networks/networks.ts";
export { pathInInstance } from "./volumes/plug-device.ts";
export { openVolumes, type VolumeOptions, type Volumes } from "./volumes/volumes.ts";
export type { VolumeSpec } from "./volumes/create-volume.ts";
export type { RestoreReport } from "./volumes/restore-volumes.ts";
export type { Attachment, Volume, VolumeInstance, VolumeSnapshot } from "./volumes/volume.ts";
export type { HostCheck } from "./probe/check.ts";
export { probeHost, type HostReport } from "./probe/probe-host.ts";
export { renderLabels, renderReport } from "./probe/render-report.ts";
export { distributions, type Distribution } from "./images/recipe.ts";
export { listMounts } from "./images/mounts.ts";
export { openImages, type Image, type Images } from "./images/images.ts";
export { createContainerDriver } from "./instances/container.ts";
export type { InstanceAccess, InstanceDriver, InstancePort, InstanceSpec, InstanceState } from "./instances/driver.ts";
export { openInstances, type Instances, type RestoreResult } from "./instances/instances.ts";
export { openHost, type Host, type HostedInstance, type HostOptions } from "./host.ts";
