variable "name" {
  description = "Name of the network. Resource names start with it."
  type        = string
  validation {
    condition     = can(regex("^[a-z][a-z0-9-]{0,62}$", var.name))
    error_message = "The name must start with a letter and consist of at most 63 lower-case letters, digits and hyphens."
  }
}

variable "project" {
  description = "Id of the Google Cloud project. If not set, the provider takes it from its environment."
  type        = string
  default     = null
  validation {
    condition     = var.project == null || can(regex("^[a-z][a-z0-9-]{4,28}[a-z0-9]$", var.project))
    error_message = "The project must be an id of 6 to 30 lower-case letters, digits and hyphens, such as my-project."
  }
}

variable "region" {
  description = "Region of the network's subnet."
  type        = string
  validation {
    condition     = can(regex("^[a-z]+(-[a-z]+)+[0-9]+$", var.region))
    error_message = "The region must look like europe-west1."
  }
}

variable "zones" {
  description = "Zones for machines. They do not affect the network itself."
  type        = list(string)
  default     = []
  nullable    = false
  validation {
    condition     = length(distinct(var.zones)) == length(var.zones) && alltrue([for zone in var.zones : can(regex("^${var.region}-[a-z]$", zone))])
    error_message = "The zones must be different zones of the region, such as europe-west1-b."
  }
}

variable "cidr_range" {
  description = "Address range that the subnet's ranges are computed from."
  type        = string
  default     = "10.0.0.0/16"
  nullable    = false
  validation {
    condition     = can(cidrnetmask(var.cidr_range)) && try(tonumber(split("/", var.cidr_range)[1]) >= 8 && tonumber(split("/", var.cidr_range)[1]) <= 29, false)
    error_message = "The address range must be IPv4 with a prefix between 8 and 29."
  }
  validation {
    condition     = try(cidrhost(var.cidr_range, 0) == split("/", var.cidr_range)[0], false)
    error_message = "The address range must start at its first address, for example 10.0.0.0/16."
  }
}

variable "subnet_cidr" {
  description = "Address range for machines, inside cidr_range. If not set, the first sixteenth of cidr_range."
  type        = string
  default     = null
  validation {
    condition     = var.subnet_cidr == null || try(can(cidrnetmask(var.subnet_cidr)) && tonumber(split("/", var.subnet_cidr)[1]) <= 29 && cidrhost(var.subnet_cidr, 0) == split("/", var.subnet_cidr)[0], false)
    error_message = "The range for machines must be IPv4 with a prefix of at most 29 and start at its first address."
  }
  validation {
    condition     = var.subnet_cidr == null || try(tonumber(split("/", var.subnet_cidr)[1]) >= tonumber(split("/", var.cidr_range)[1]) && cidrhost("${split("/", var.subnet_cidr)[0]}/${split("/", var.cidr_range)[1]}", 0) == cidrhost(var.cidr_range, 0), false)
    error_message = "The range for machines must be inside cidr_range."
  }
}

variable "pod_cidr" {
  description = "Address range for pods. If not set, the upper half of cidr_range."
  type        = string
  default     = null
  validation {
    condition     = var.pod_cidr == null || try(can(cidrnetmask(var.pod_cidr)) && tonumber(split("/", var.pod_cidr)[1]) >= 9 && tonumber(split("/", var.pod_cidr)[1]) <= 24 && cidrhost(var.pod_cidr, 0) == split("/", var.pod_cidr)[0], false)
    error_message = "The range for pods must be IPv4 with a prefix between 9 and 24 and start at its first address."
  }
}

variable "service_cidr" {
  description = "Address range for Services. If not set, the fifth sixteenth of cidr_range."
  type        = string
  default     = null
  validation {
    condition     = var.service_cidr == null || try(can(cidrnetmask(var.service_cidr)) && tonumber(split("/", var.service_cidr)[1]) >= 16 && tonumber(split("/", var.service_cidr)[1]) <= 28 && cidrhost(var.service_cidr, 0) == split("/", var.service_cidr)[0], false)
    error_message = "The range for Services must be IPv4 with a prefix between 16 and 28 and start at its first address."
  }
  # These conditions refer to other variables. They are all in one place, because Terraform does not allow two variables to refer
  # to each other.
  validation {
    condition     = (var.subnet_cidr != null && var.pod_cidr != null && var.service_cidr != null) || try(tonumber(split("/", var.cidr_range)[1]) <= 20, true)
    error_message = "Computed ranges require a cidr_range with a prefix of at most 20. Use a larger range, or set the ranges for machines, pods and Services."
  }
  validation {
    condition     = var.service_cidr != null || try(tonumber(split("/", var.cidr_range)[1]) >= 12, true)
    error_message = "A cidr_range with a prefix below 12 requires a range for Services, because Services can have at most 65536 addresses."
  }
  validation {
    # Two ranges overlap if they are equal when truncated to the shorter prefix. Every range overlaps itself, so one match is allowed.
    condition = alltrue([for ranges in [[
      try(coalesce(var.subnet_cidr, cidrsubnet(var.cidr_range, 4, 0)), ""),
      try(coalesce(var.pod_cidr, cidrsubnet(var.cidr_range, 1, 1)), ""),
      try(coalesce(var.service_cidr, cidrsubnet(var.cidr_range, 4, 4)), ""),
      ]] : alltrue([for range in ranges : length([
        for other in ranges : other
        if try(alltrue([for prefix in [min([for each in [range, other] : tonumber(split("/", each)[1])]...)] : cidrhost("${split("/", range)[0]}/${prefix}", 0) == cidrhost("${split("/", other)[0]}/${prefix}", 0)]), false)
    ]) <= 1])])
    error_message = "The ranges for machines, pods and Services must not overlap."
  }
}

variable "pod_range_name" {
  description = "Name of the secondary range for pods."
  type        = string
  default     = "pods"
  nullable    = false
  validation {
    condition     = can(regex("^[a-z]([a-z0-9-]{0,61}[a-z0-9])?$", var.pod_range_name))
    error_message = "The name of a secondary range must consist of at most 63 lower-case letters, digits and hyphens, start with a letter and not end with a hyphen."
  }
}

variable "service_range_name" {
  description = "Name of the secondary range for Services."
  type        = string
  default     = "services"
  nullable    = false
  validation {
    condition     = can(regex("^[a-z]([a-z0-9-]{0,61}[a-z0-9])?$", var.service_range_name))
    error_message = "The name of a secondary range must consist of at most 63 lower-case letters, digits and hyphens, start with a letter and not end with a hyphen."
  }
  validation {
    condition     = var.service_range_name != var.pod_range_name
    error_message = "The secondary ranges for pods and Services must have different names."
  }
}

variable "routing_mode" {
  description = "Whether Cloud Routers announce routes to their own region or to all regions: regional or global."
  type        = string
  default     = "regional"
  nullable    = false
  validation {
    condition     = contains(["regional", "global"], var.routing_mode)
    error_message = "routing_mode must be regional or global."
  }
}

variable "mtu" {
  description = "Largest packet size in bytes."
  type        = number
  default     = 1460
  nullable    = false
  validation {
    condition     = var.mtu >= 1300 && var.mtu <= 8896 && floor(var.mtu) == var.mtu
    error_message = "mtu must be a whole number between 1300 and 8896."
  }
}

variable "private_google_access" {
  description = "Whether machines without external addresses can reach Google APIs."
  type        = bool
  default     = true
  nullable    = false
}

variable "nat" {
  description = "Cloud NAT, through which machines without external addresses reach the internet: none or regional."
  type        = string
  default     = "none"
  nullable    = false
  validation {
    condition     = contains(["none", "regional"], var.nat)
    error_message = "nat must be none or regional."
  }
}

variable "nat_ips" {
  description = "Number of static addresses to reserve for Cloud NAT. With 0, Google Cloud assigns and changes the addresses."
  type        = number
  default     = 0
  nullable    = false
  validation {
    condition     = var.nat_ips >= 0 && var.nat_ips <= 20 && floor(var.nat_ips) == var.nat_ips
    error_message = "The number of static addresses for Cloud NAT must be between 0 and 20."
  }
  validation {
    condition     = var.nat_ips == 0 || var.nat != "none"
    error_message = "Static addresses for Cloud NAT require Cloud NAT."
  }
}

variable "load_balancer_ips" {
  description = "Number of static addresses to reserve for load balancers."
  type        = number
  default     = 0
  nullable    = false
  validation {
    condition     = var.load_balancer_ips >= 0 && var.load_balancer_ips <= 20 && floor(var.load_balancer_ips) == var.load_balancer_ips
    error_message = "The number of static addresses for load balancers must be between 0 and 20."
  }
}

variable "flow_logs" {
  description = "VPC flow logs of the subnet: the share of connections to record and the interval in which they are combined."
  type = object({
    sampling_percent     = optional(number, 50)
    aggregation_interval = optional(string, "INTERVAL_5_SEC")
  })
  default = null
  validation {
    condition     = var.flow_logs == null || try(var.flow_logs.sampling_percent > 0 && var.flow_logs.sampling_percent <= 100, false)
    error_message = "The share of recorded connections must be above 0 and at most 100 percent."
  }
  validation {
    condition     = var.flow_logs == null || try(contains(["INTERVAL_5_SEC", "INTERVAL_30_SEC", "INTERVAL_1_MIN", "INTERVAL_5_MIN", "INTERVAL_10_MIN", "INTERVAL_15_MIN"], var.flow_logs.aggregation_interval), false)
    error_message = "The interval must be one that Google Cloud supports, such as INTERVAL_5_SEC or INTERVAL_10_MIN."
  }
}

variable "network" {
  description = "Name of an existing VPC network to use. It is only read: nothing in it is created or changed."
  type        = string
  default     = null
  validation {
    condition     = var.network == null || can(regex("^[a-z]([a-z0-9-]{0,61}[a-z0-9])?$", var.network))
    error_message = "The existing network must be a name such as main."
  }
  validation {
    condition     = var.network == null || (var.nat == "none" && var.load_balancer_ips == 0 && var.flow_logs == null && var.subnet_cidr == null && var.pod_cidr == null && var.service_cidr == null)
    error_message = "An existing network cannot be combined with NAT, static addresses, flow logs or address ranges, because nothing is created in it."
  }
}

variable "subnet" {
  description = "Name of the existing network's subnet for machines, which must have secondary ranges for pods and Services."
  type        = string
  default     = null
  validation {
    condition     = var.subnet == null || can(regex("^[a-z]([a-z0-9-]{0,61}[a-z0-9])?$", var.subnet))
    error_message = "The existing subnet must be a name such as main."
  }
  validation {
    condition     = (var.subnet == null) == (var.network == null)
    error_message = "An existing network and its subnet must be set together."
  }
}

variable "owner" {
  description = "Entity that owns the resources. Each resource carries it in its labels or its description and is found by it."
  type = object({
    project = string
    entity  = string
  })
  validation {
    condition     = length(replace(var.owner.entity, "-", "")) >= 4
    error_message = "The owner's uid is too short for unique resource names."
  }
  validation {
    condition     = can(regex("^[a-z0-9_-]{1,63}$", var.owner.entity)) && can(regex("^[a-z0-9_-]{1,63}$", var.owner.project))
    error_message = "The owner's project and uid must be valid label values: lower-case letters, digits, hyphens and underscores."
  }
}

variable "labels" {
  description = "Additional labels for all resources that can have labels."
  type        = map(string)
  default     = {}
  nullable    = false
  validation {
    # Google Cloud allows 64 labels per resource, and the platform and Terraform set some of them. Empty values are rejected,
    # because the provider would plan a change on every run.
    condition     = length(var.labels) <= 50 && alltrue([for key, value in var.labels : can(regex("^[a-z][a-z0-9_-]{0,62}$", key)) && can(regex("^[a-z0-9_-]{1,63}$", value))])
    error_message = "At most 50 labels are allowed. Keys start with a letter; keys and values have 1 to 63 lower-case letters, digits, hyphens and underscores."
  }
  validation {
    # The prefix cloudwright__ is allowed. Two underscores start an escape sequence, so such a key cannot be mistaken for one of the
    # platform's.
    condition     = alltrue([for key in keys(var.labels) : !can(regex("^(cloudwright_[^_]|goog)", key))])
    error_message = "Label keys must not start with cloudwright_ or goog, which are reserved."
  }
}
