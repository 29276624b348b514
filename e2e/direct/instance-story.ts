import type { Shown } from "./cluster-story.ts";

/** The cloud-specific parts of the test in which an instance is built. */
export interface InstanceStory {
  readonly cloud: string;
  readonly region: string;
  readonly type: string;
  readonly machineType: string;
  /** Default size of the root disk. */
  readonly diskGib: number;
  /** Default login user of the image. */
  readonly user: string;
  /** Security settings that an instance must have by default. */
  readonly safe: Readonly<Record<string, unknown>>;
  /** The attribute that contains the state of the machine, and the values of that attribute. */
  readonly state: { readonly attribute: string; readonly running: string; readonly stopped: string };
  /** Matches the types of resources that must not remain at the end. */
  readonly leftovers: RegExp;
  /** Returns the user data that the cloud has stored for a machine. */
  readUserData(machine: Shown): string;
}

/** One story per cloud. To support another cloud, add an entry. */
export const instanceStories: readonly InstanceStory[] = [
  {
    cloud: "aws",
    region: "eu-west-1",
    type: "aws_instance",
    machineType: "t3.micro",
    diskGib: 20,
    user: "ubuntu",
    safe: {
      root_block_device: [{ encrypted: true, volume_size: 20 }],
      metadata_options: [{ http_tokens: "required" }],
    },
    state: { attribute: "instance_state", running: "running", stopped: "stopped" },
    leftovers: /"aws_(vpc|subnet|instance)"/,
    readUserData: ({ attributes }) => Buffer.from(String(attributes["user_data_base64"]), "base64").toString(),
  },
  {
    cloud: "gcp",
    region: "europe-west1",
    type: "google_compute_instance",
    machineType: "e2-small",
    diskGib: 20,
    user: "ubuntu",
    safe: {
      boot_disk: [{ auto_delete: true, initialize_params: [{ size: 20 }] }],
      shielded_instance_config: [{ enable_secure_boot: true, enable_vtpm: true, enable_integrity_monitoring: true }],
    },
    state: { attribute: "current_status", running: "RUNNING", stopped: "TERMINATED" },
    leftovers: /"google_compute_(network|subnetwork|instance|disk)"/,
    readUserData: ({ attributes }) => String((attributes["metadata"] as Readonly<Record<string, unknown>>)["user-data"]),
  },
  {
    cloud: "azure",
    region: "westeurope",
    type: "azurerm_linux_virtual_machine",
    machineType: "Standard_B1s",
    diskGib: 30,
    user: "azureuser",
    safe: {
      os_disk: [{ disk_size_gb: 30 }],
      secure_boot_enabled: true,
      vtpm_enabled: true,
      disable_password_authentication: true,
    },
    state: { attribute: "api_power", running: "running", stopped: "deallocated" },
    leftovers: /"azurerm_(virtual_network|subnet|linux_virtual_machine|network_interface|public_ip|managed_disk|resource_group)"/,
    readUserData: ({ attributes }) => Buffer.from(String(attributes["user_data"]), "base64").toString(),
  },
];
