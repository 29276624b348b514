/** The parts of Azure Compute's API models that this package reads. They follow the same rules as models.ts. */
export interface VirtualMachine {
  readonly id?: string;
  readonly name?: string;
  readonly location?: string;
  readonly zones?: readonly string[];
  readonly tags?: Readonly<Record<string, string>>;
  readonly properties?: VirtualMachineProperties;
}

export interface VirtualMachineProperties {
  readonly provisioningState?: string;
  readonly timeCreated?: string;
  readonly hardwareProfile?: HardwareProfile;
  readonly storageProfile?: StorageProfile;
  readonly osProfile?: OSProfile;
  readonly networkProfile?: NetworkProfile;
  readonly instanceView?: VirtualMachineInstanceView;
}

export interface HardwareProfile {
  readonly vmSize?: string;
}

export interface StorageProfile {
  readonly imageReference?: ImageReference;
}

export interface ImageReference {
  readonly id?: string;
  readonly publisher?: string;
  readonly offer?: string;
  readonly sku?: string;
  readonly version?: string;
}

export interface OSProfile {
  readonly adminUsername?: string;
}

export interface NetworkProfile {
  readonly networkInterfaces?: readonly NetworkInterfaceReference[];
}

export interface NetworkInterfaceReference {
  readonly id?: string;
}

export interface VirtualMachineInstanceView {
  readonly statuses?: readonly InstanceViewStatus[];
}

export interface InstanceViewStatus {
  readonly code?: string;
  readonly displayStatus?: string;
  readonly message?: string;
}

export interface RetrieveBootDiagnosticsDataResult {
  readonly serialConsoleLogBlobUri?: string;
}
