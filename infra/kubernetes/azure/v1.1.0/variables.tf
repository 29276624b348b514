variable "cluster_name" {
  description = "Name of the cluster. Resource names consist of it and a part of the owner's uid."
  type        = string
  validation {
    condition     = can(regex("^[a-z][a-z0-9-]{0,62}$", var.cluster_name))
    error_message = "The name must start with a letter and consist of at most 63 lower-case letters, digits and hyphens."
  }
}

variable "region" {
  description = "Region of the cluster."
  type        = string
  validation {
    condition     = can(regex("^[a-z]{4,}[0-9]?$", var.region))
    error_message = "The region must look like westeurope."
  }
}

variable "resource_group_name" {
  description = "Existing resource group for the cluster's resources; null creates one."
  type        = string
  default     = null
  validation {
    condition     = var.resource_group_name == null || can(regex("^[A-Za-z0-9_().-]{0,89}[A-Za-z0-9_()-]$", var.resource_group_name))
    error_message = "The resource group must be a name of up to 90 letters, digits, underscores, parentheses, hyphens and periods that does not end with a period."
  }
}

variable "cluster_version" {
  description = "Kubernetes minor version; null keeps the current version of a cluster that AKS upgrades, and selects the default of AKS for a new one."
  type        = string
  default     = null
  validation {
    condition     = var.cluster_version == null || can(regex("^1\\.[0-9]{2,3}$", var.cluster_version))
    error_message = "The Kubernetes version must look like 1.34."
  }
}

variable "tier" {
  description = "Pricing tier of AKS: free, standard or premium."
  type        = string
  default     = "standard"
  nullable    = false
  validation {
    condition     = contains(["free", "standard", "premium"], var.tier)
    error_message = "The tier must be free, standard or premium."
  }
}

variable "long_term_support" {
  description = "Whether the Kubernetes version is supported for two years."
  type        = bool
  default     = false
  nullable    = false
  validation {
    condition     = !var.long_term_support || var.tier == "premium"
    error_message = "Long-term support requires the tier premium."
  }
}

variable "upgrade_channel" {
  description = "Automatic upgrades of Kubernetes by AKS: none, patch, stable, rapid or node-image."
  type        = string
  default     = "none"
  nullable    = false
  validation {
    condition     = contains(["none", "patch", "stable", "rapid", "node-image"], var.upgrade_channel)
    error_message = "The upgrade channel must be none, patch, stable, rapid or node-image."
  }
}

variable "node_os_upgrade_channel" {
  description = "Automatic updates of the nodes' operating system: node-image, security-patch, unmanaged or none."
  type        = string
  default     = "node-image"
  nullable    = false
  validation {
    condition     = contains(["node-image", "security-patch", "unmanaged", "none"], var.node_os_upgrade_channel)
    error_message = "The channel for the operating system must be node-image, security-patch, unmanaged or none."
  }
  validation {
    condition     = var.upgrade_channel != "node-image" || var.node_os_upgrade_channel == "node-image"
    error_message = "The upgrade channel node-image already updates the operating system; leave its own channel at node-image."
  }
}

variable "maintenance_window" {
  description = "Weekly time in UTC at which AKS may perform automatic upgrades; null allows any time."
  type = object({
    day   = string
    start = string
    hours = number
  })
  default = null
  validation {
    condition     = var.maintenance_window == null || contains(["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"], try(var.maintenance_window.day, ""))
    error_message = "The day of the maintenance window must be monday, tuesday, wednesday, thursday, friday, saturday or sunday."
  }
  validation {
    condition     = var.maintenance_window == null || can(regex("^([01][0-9]|2[0-3]):[0-5][0-9]$", try(var.maintenance_window.start, "")))
    error_message = "The start of the maintenance window must look like 02:00."
  }
  validation {
    condition     = var.maintenance_window == null || try(var.maintenance_window.hours >= 4 && var.maintenance_window.hours <= 24 && floor(var.maintenance_window.hours) == var.maintenance_window.hours, false)
    error_message = "The maintenance window must last 4 to 24 whole hours."
  }
}

variable "node_subnet_id" {
  description = "Id of the subnet for nodes."
  type        = string
  validation {
    condition     = can(regex("^/subscriptions/[^/]+/resourceGroups/[^/]+/providers/Microsoft.Network/virtualNetworks/[^/]+/subnets/[^/]+$", var.node_subnet_id))
    error_message = "The node subnet must be the id of a subnet, which starts with /subscriptions/."
  }
}

variable "pod_subnet_id" {
  description = "Id of the subnet for pods; null gives pods an overlay network."
  type        = string
  default     = null
  validation {
    condition     = var.pod_subnet_id == null || can(regex("^/subscriptions/[^/]+/resourceGroups/[^/]+/providers/Microsoft.Network/virtualNetworks/[^/]+/subnets/[^/]+$", var.pod_subnet_id))
    error_message = "The pod subnet must be the id of a subnet, which starts with /subscriptions/."
  }
}

variable "api_server_subnet_id" {
  description = "Id of the subnet for the API server, which is delegated to AKS; null leaves the API server outside the network."
  type        = string
  default     = null
  validation {
    condition     = var.api_server_subnet_id == null || can(regex("^/subscriptions/[^/]+/resourceGroups/[^/]+/providers/Microsoft.Network/virtualNetworks/[^/]+/subnets/[^/]+$", var.api_server_subnet_id))
    error_message = "The API server's subnet must be the id of a subnet, which starts with /subscriptions/."
  }
}

variable "private_dns_zone_id" {
  description = "Id of the private DNS zone of a private cluster; null lets AKS create one."
  type        = string
  default     = null
  validation {
    condition     = var.private_dns_zone_id == null || can(regex("^/subscriptions/[^/]+/resourceGroups/[^/]+/providers/Microsoft.Network/privateDnsZones/[^/]+$", var.private_dns_zone_id))
    error_message = "The private DNS zone must be an id that starts with /subscriptions/."
  }
}

variable "outbound_type" {
  description = "How nodes reach the internet: loadBalancer, userAssignedNATGateway or userDefinedRouting."
  type        = string
  default     = "loadBalancer"
  nullable    = false
  validation {
    condition     = contains(["loadBalancer", "userAssignedNATGateway", "userDefinedRouting"], var.outbound_type)
    error_message = "The outbound type must be loadBalancer, userAssignedNATGateway or userDefinedRouting."
  }
}

variable "nat_public_ips" {
  description = "Public addresses of the network's NAT gateway. Nodes reach a public API server from these."
  type        = list(string)
  default     = []
  nullable    = false
  validation {
    condition     = alltrue([for ip in var.nat_public_ips : can(cidrnetmask("${ip}/32"))])
    error_message = "Addresses of the NAT gateway must be IPv4 addresses."
  }
}

variable "public_access" {
  description = "Whether the API server has a public endpoint. Changing it replaces the cluster."
  type        = bool
  default     = true
  nullable    = false
  validation {
    condition     = var.public_access || length(var.public_access_cidrs) == 0
    error_message = "Address ranges require a public endpoint; leave them empty if the endpoint is private."
  }
}

variable "public_access_cidrs" {
  description = "Address ranges that may reach the public endpoint of the API server; empty allows all."
  type        = list(string)
  default     = []
  nullable    = false
  validation {
    condition     = alltrue([for range in var.public_access_cidrs : can(cidrnetmask(range))])
    error_message = "Address ranges must be IPv4 ranges such as 192.0.2.0/24, because AKS accepts no others."
  }
  validation {
    condition     = length(var.public_access_cidrs) <= 180
    error_message = "AKS accepts at most 200 ranges, and some of them are for the network's own addresses."
  }
}

variable "pod_cidr" {
  description = "Address range of pods in an overlay network. Each node gets 256 addresses of it."
  type        = string
  default     = "192.168.0.0/16"
  nullable    = false
  validation {
    condition     = can(cidrnetmask(var.pod_cidr)) && try(cidrhost(var.pod_cidr, 0) == split("/", var.pod_cidr)[0] && tonumber(split("/", var.pod_cidr)[1]) <= 23, false)
    error_message = "The pod range must be an IPv4 range such as 192.168.0.0/16 with a prefix of at most 23 that starts at its first address."
  }
}

variable "service_cidr" {
  description = "Address range of Kubernetes services."
  type        = string
  default     = "172.16.0.0/16"
  nullable    = false
  validation {
    condition     = can(cidrnetmask(var.service_cidr)) && try(cidrhost(var.service_cidr, 0) == split("/", var.service_cidr)[0] && tonumber(split("/", var.service_cidr)[1]) >= 12 && tonumber(split("/", var.service_cidr)[1]) <= 28, false)
    error_message = "The service range must be an IPv4 range such as 172.16.0.0/16 with a prefix between 12 and 28 that starts at its first address."
  }
}

variable "identities" {
  description = "Ids of existing identities to use instead of creating them. The identity of the control plane must already have the roles that it needs."
  type = object({
    cluster = optional(string)
    kubelet = optional(string)
  })
  default  = {}
  nullable = false
  validation {
    condition     = alltrue([for id in values(var.identities) : id == null || can(regex("^/subscriptions/[^/]+/resourceGroups/[^/]+/providers/Microsoft.ManagedIdentity/userAssignedIdentities/[^/]+$", id))])
    error_message = "Identities must be ids of user-assigned identities, which start with /subscriptions/."
  }
}

variable "kms_key" {
  description = "Key Vault key that encrypts the cluster's secrets, by id with version, and its vault. Without an id, a vault with a key is created. With a vault, the control plane gets the role to use its keys."
  type = object({
    id       = optional(string)
    vault_id = optional(string)
  })
  default  = {}
  nullable = false
  validation {
    condition     = var.kms_key.id == null || can(regex("^https://[A-Za-z0-9-]{3,24}\\.vault\\.[a-z.]+/keys/[A-Za-z0-9-]{1,127}/[0-9a-f]{32}$", var.kms_key.id))
    error_message = "The key must be an id with a version, such as https://main.vault.azure.net/keys/secrets/0123456789abcdef0123456789abcdef."
  }
  validation {
    condition     = var.kms_key.vault_id == null || can(regex("^/subscriptions/[^/]+/resourceGroups/[^/]+/providers/Microsoft.KeyVault/vaults/[^/]+$", var.kms_key.vault_id))
    error_message = "The vault must be an id that starts with /subscriptions/."
  }
  validation {
    condition     = var.kms_key.vault_id == null || var.kms_key.id != null
    error_message = "A vault requires the id of one of its keys."
  }
}

variable "purge_protection" {
  description = "Whether the vault that is created cannot be purged before its retention ends. It cannot be turned off again."
  type        = bool
  default     = false
  nullable    = false
}

variable "entra" {
  description = "Sign-in with Microsoft Entra ID and the groups that administer the cluster; null leaves it off."
  type = object({
    admin_group_ids = optional(list(string), [])
  })
  default = null
  validation {
    condition     = var.entra == null || alltrue([for id in try(var.entra.admin_group_ids, []) : can(regex("^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$", id))])
    error_message = "Groups must be object ids such as 00000000-0000-0000-0000-000000000000."
  }
}

variable "local_accounts" {
  description = "Whether the cluster accepts its own administrator certificate."
  type        = bool
  default     = true
  nullable    = false
  validation {
    condition     = var.local_accounts || var.entra != null
    error_message = "Local accounts can only be turned off if users sign in with Microsoft Entra ID."
  }
}

variable "access_entries" {
  description = "Users, groups and applications with access to the cluster, by object id, in the whole cluster or in some namespaces."
  type = list(object({
    principal_id = string
    policy       = string
    namespaces   = optional(list(string), [])
  }))
  default  = []
  nullable = false
  validation {
    condition     = alltrue([for entry in var.access_entries : can(regex("^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$", entry.principal_id))])
    error_message = "Principals must be object ids such as 00000000-0000-0000-0000-000000000000."
  }
  validation {
    condition     = alltrue([for entry in var.access_entries : contains(["cluster-admin", "admin", "edit", "view"], entry.policy)])
    error_message = "The policy must be cluster-admin, admin, edit or view."
  }
  validation {
    condition     = length(var.access_entries) == 0 || var.entra != null
    error_message = "Access entries require Microsoft Entra ID."
  }
  validation {
    condition     = length(distinct([for entry in var.access_entries : [entry.principal_id, entry.policy]])) == length(var.access_entries)
    error_message = "List each principal and policy only once."
  }
}

variable "workload_identities" {
  description = "Ids of the managed identities of service accounts, by namespace/name."
  type        = map(string)
  default     = {}
  nullable    = false
  validation {
    condition     = alltrue([for account in keys(var.workload_identities) : can(regex("^[a-z0-9][-a-z0-9]{0,62}/[a-z0-9][-.a-z0-9]{0,252}$", account))])
    error_message = "Service accounts must have the form namespace/name."
  }
  validation {
    condition     = alltrue([for id in values(var.workload_identities) : can(regex("^/subscriptions/[^/]+/resourceGroups/[^/]+/providers/Microsoft.ManagedIdentity/userAssignedIdentities/[^/]+$", id))])
    error_message = "Identities must be ids of user-assigned identities, which start with /subscriptions/."
  }
}

variable "image_cleaner" {
  description = "Whether AKS removes unused images from nodes once a week."
  type        = bool
  default     = true
  nullable    = false
}

variable "container_registry_ids" {
  description = "Ids of the container registries from which nodes may pull images."
  type        = set(string)
  default     = []
  nullable    = false
  validation {
    condition     = alltrue([for id in var.container_registry_ids : can(regex("^/subscriptions/[^/]+/resourceGroups/[^/]+/providers/Microsoft.ContainerRegistry/registries/[^/]+$", id))])
    error_message = "Container registries must be ids that start with /subscriptions/."
  }
}

variable "log_analytics_workspace_id" {
  description = "Id of the Log Analytics workspace for container logs; null sends none."
  type        = string
  default     = null
  validation {
    condition     = var.log_analytics_workspace_id == null || can(regex("^/subscriptions/[^/]+/resourceGroups/[^/]+/providers/Microsoft.OperationalInsights/workspaces/[^/]+$", var.log_analytics_workspace_id))
    error_message = "The workspace must be an id that starts with /subscriptions/."
  }
}

variable "managed_prometheus" {
  description = "Whether to collect metrics for Azure Monitor."
  type        = bool
  default     = false
  nullable    = false
}

variable "disk_encryption_set_id" {
  description = "Id of the disk encryption set for the disks of nodes; null uses a key of Azure."
  type        = string
  default     = null
  validation {
    condition     = var.disk_encryption_set_id == null || can(regex("^/subscriptions/[^/]+/resourceGroups/[^/]+/providers/Microsoft.Compute/diskEncryptionSets/[^/]+$", var.disk_encryption_set_id))
    error_message = "The disk encryption set must be an id that starts with /subscriptions/."
  }
}

variable "host_encryption" {
  description = "Whether to encrypt the caches and temporary disks of nodes. Changing it replaces all nodes."
  type        = bool
  default     = false
  nullable    = false
}

variable "addons" {
  description = "Add-ons that AKS manages: app-routing, azure-policy, blob-csi-driver, keda, key-vault-secrets-provider and vertical-pod-autoscaler."
  type        = set(string)
  default     = []
  nullable    = false
  validation {
    condition     = length(setsubtract(var.addons, ["app-routing", "azure-policy", "blob-csi-driver", "keda", "key-vault-secrets-provider", "vertical-pod-autoscaler"])) == 0
    error_message = "Add-ons must be app-routing, azure-policy, blob-csi-driver, keda, key-vault-secrets-provider or vertical-pod-autoscaler."
  }
}

variable "kept_defaults" {
  description = "Defaults that were chosen for this cluster when it was created. The output choices returns them, so that later runs can pass them back in."
  type = object({
    # Version of the configuration whose defaults apply.
    since               = optional(string)
    public_access_cidrs = optional(list(string), [])
    # Whether keda or vertical-pod-autoscaler has ever been enabled in the cluster.
    autoscalers = optional(bool, false)
  })
  default  = {}
  nullable = false
  validation {
    condition     = var.kept_defaults.since == null || can(regex("^v[0-9]+\\.[0-9]+\\.[0-9]+$", var.kept_defaults.since))
    error_message = "The version of the defaults must look like v1.0.0."
  }
  validation {
    condition     = alltrue([for range in var.kept_defaults.public_access_cidrs : can(cidrnetmask(range))])
    error_message = "Address ranges must look like 192.0.2.0/24."
  }
}

variable "system_pool" {
  description = "Name of the pool that AKS creates with the cluster. It runs the system pods and always has at least one node."
  type        = string
  default     = "default"
  nullable    = false
  validation {
    condition     = can(regex("^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$", var.system_pool))
    error_message = "The name must start with a letter, must not end with a hyphen, and consist of at most 63 lower-case letters, digits and hyphens."
  }
}

variable "node_pools" {
  description = "Node pools by name."
  type = map(object({
    instance_type = string
    min           = number
    # Null leaves the number of nodes to the autoscaler.
    desired       = optional(number)
    max           = number
    autoscaling   = optional(bool, false)
    capacity      = optional(string, "on-demand")
    disk_size_gib = optional(number)
    zones         = optional(list(string), [])
    labels        = optional(map(string), {})
    tags          = optional(map(string), {})
    taints = optional(list(object({
      key    = string
      value  = optional(string)
      effect = string
    })), [])
    os        = optional(string)
    os_disk   = optional(string, "managed")
    max_pods  = optional(number)
    max_surge = optional(string)
    # Always set, because removing the timeout from a pool would replace the pool.
    drain_timeout_minutes = optional(number, 30)
    # Whether the pool also runs system pods.
    system = optional(bool, false)
    # Whether the pool accepts only system pods. Applies only to the pool that AKS creates with the cluster.
    only_system_pods = optional(bool, false)
    spot_max_price   = optional(number, -1)
  }))
  nullable = false
  validation {
    condition     = alltrue([for name in keys(var.node_pools) : can(regex("^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$", name))])
    error_message = "Pool names must start with a letter, must not end with a hyphen, and consist of at most 63 lower-case letters, digits and hyphens."
  }
  validation {
    condition     = contains(keys(var.node_pools), var.system_pool)
    error_message = "AKS requires a pool for system pods."
  }
  validation {
    condition     = alltrue([for name, pool in var.node_pools : (name != var.system_pool && !pool.system) || (coalesce(pool.desired, 1) >= 1 && (!pool.autoscaling || pool.min >= 1))])
    error_message = "A pool for system pods must have at least one node."
  }
  validation {
    condition     = alltrue([for name, pool in var.node_pools : (name != var.system_pool && !pool.system) || pool.capacity == "on-demand"])
    error_message = "A pool for system pods cannot use spot capacity."
  }
  validation {
    condition     = alltrue([for name, pool in var.node_pools : name != var.system_pool || length(pool.taints) == 0])
    error_message = "The pool that AKS creates with the cluster cannot have taints of its own."
  }
  validation {
    condition     = alltrue([for pool in values(var.node_pools) : pool.min >= 0 && pool.min <= coalesce(pool.desired, pool.min) && coalesce(pool.desired, pool.max) <= pool.max && pool.max <= 1000])
    error_message = "Pool sizes must satisfy 0 <= min <= desired <= max <= 1000."
  }
  validation {
    condition     = alltrue([for pool in values(var.node_pools) : pool.desired != null || pool.autoscaling])
    error_message = "A pool without autoscaling requires the desired number of nodes."
  }
  validation {
    condition     = alltrue([for pool in values(var.node_pools) : !pool.autoscaling || pool.max >= 1])
    error_message = "The maximum size of a pool with autoscaling must be at least 1."
  }
  validation {
    condition     = alltrue(flatten([for pool in values(var.node_pools) : [for number in [pool.min, coalesce(pool.desired, 0), pool.max, coalesce(pool.disk_size_gib, 30), coalesce(pool.max_pods, 30), coalesce(pool.drain_timeout_minutes, 1)] : floor(number) == number]]))
    error_message = "Sizes, numbers of pods and times must be whole numbers."
  }
  validation {
    condition     = alltrue([for pool in values(var.node_pools) : can(regex("^Standard_[A-Z]+[0-9]{1,3}(-[0-9]{1,3})?[a-z]{0,5}(_[A-Z]+[0-9]+[A-Z]*)?(_v[0-9]{1,2})?$", pool.instance_type))])
    error_message = "Machine types must look like Standard_D2s_v5."
  }
  validation {
    condition     = alltrue([for pool in values(var.node_pools) : contains(["on-demand", "spot"], pool.capacity)])
    error_message = "The capacity must be on-demand or spot."
  }
  validation {
    condition     = alltrue([for pool in values(var.node_pools) : coalesce(pool.disk_size_gib, 30) >= 30 && coalesce(pool.disk_size_gib, 30) <= 2048])
    error_message = "The disk size must be between 30 and 2048 GiB."
  }
  validation {
    condition     = alltrue(flatten([for pool in values(var.node_pools) : [for zone in pool.zones : contains(["1", "2", "3"], zone)]]))
    error_message = "Zones must be 1, 2 or 3."
  }
  validation {
    condition     = alltrue([for pool in values(var.node_pools) : contains(["azure-linux", "ubuntu"], coalesce(pool.os, "ubuntu")) && contains(["managed", "ephemeral"], pool.os_disk)])
    error_message = "The operating system must be azure-linux or ubuntu, and its disk managed or ephemeral."
  }
  validation {
    condition     = alltrue([for pool in values(var.node_pools) : coalesce(pool.max_pods, 30) >= 10 && coalesce(pool.max_pods, 30) <= 250])
    error_message = "The number of pods per node must be between 10 and 250."
  }
  validation {
    condition     = alltrue([for pool in values(var.node_pools) : can(regex("^([1-9][0-9]?|[1-9][0-9]?%|100%)$", coalesce(pool.max_surge, "1")))])
    error_message = "The surge must be a number of nodes such as 1 or a percentage of up to 100% such as 33%."
  }
  validation {
    condition     = alltrue([for pool in values(var.node_pools) : coalesce(pool.drain_timeout_minutes, 30) >= 1 && coalesce(pool.drain_timeout_minutes, 30) <= 1440])
    error_message = "The drain timeout must be between 1 and 1440 minutes."
  }
  validation {
    condition     = alltrue([for pool in values(var.node_pools) : pool.spot_max_price == -1 || pool.spot_max_price > 0])
    error_message = "The highest price of spot nodes must be positive, or -1 for the price of nodes on demand."
  }
  validation {
    condition     = alltrue(flatten([for pool in values(var.node_pools) : [for taint in pool.taints : contains(["NoSchedule", "PreferNoSchedule", "NoExecute"], taint.effect)]]))
    error_message = "The effect of a taint must be NoSchedule, PreferNoSchedule or NoExecute."
  }
  validation {
    condition     = alltrue(flatten([for pool in values(var.node_pools) : [for taint in pool.taints : length(taint.key) >= 1 && length(taint.key) <= 253 && length(coalesce(taint.value, "-")) <= 63]]))
    error_message = "Taint keys must have 1 to 253 characters, and taint values at most 63."
  }
  validation {
    condition     = alltrue(flatten([for pool in values(var.node_pools) : [for key in keys(pool.tags) : length(key) >= 1 && length(key) <= 512 && !startswith(key, "cloudwright:")]]))
    error_message = "Tag names of pools must have 1 to 512 characters, and must not start with cloudwright:, which is reserved."
  }
}

variable "owner" {
  description = "Entity that owns the resources. Each resource carries it as tags and is found by them."
  type = object({
    project = string
    entity  = string
  })
  validation {
    condition     = length(replace(var.owner.entity, "-", "")) >= 4
    error_message = "The owner's uid is too short for unique resource names."
  }
}

variable "tags" {
  description = "Additional tags for all resources."
  type        = map(string)
  default     = {}
  nullable    = false
  validation {
    # Azure allows 50 tags per resource, and the platform sets some of them. Key Vault keys allow only 15.
    condition     = length(var.tags) <= 40 && alltrue([for key, value in var.tags : length(key) >= 1 && length(key) <= 512 && length(coalesce(value, "-")) <= 256])
    error_message = "At most 40 tags are allowed, with names of up to 512 and values of up to 256 characters."
  }
  validation {
    condition     = alltrue([for key in keys(var.tags) : !can(regex("[<>%&\\\\?/]", key)) && !startswith(key, "cloudwright:")])
    error_message = "Tag names must not contain < > % & \\ ? or /, and must not start with cloudwright:, which is reserved."
  }
}
