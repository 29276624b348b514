variable "name" {
  description = "Name of the network. Resource names start with it."
  type        = string
  validation {
    condition     = can(regex("^[a-z][a-z0-9-]{0,62}$", var.name))
    error_message = "The name must start with a letter and consist of at most 63 lower-case letters, digits and hyphens."
  }
}

variable "region" {
  description = "Region of the network."
  type        = string
  validation {
    condition     = can(regex("^[a-z]{2}(-[a-z]+)+-[0-9]+$", var.region))
    error_message = "The region must look like eu-west-1."
  }
}

variable "cidr" {
  description = "Address range of the whole network."
  type        = string
  validation {
    condition     = can(cidrnetmask(var.cidr)) && try(tonumber(split("/", var.cidr)[1]) >= 16 && tonumber(split("/", var.cidr)[1]) <= 28, false)
    error_message = "The address range must be IPv4 with a prefix between 16 and 28."
  }
}

variable "zones" {
  description = "Address ranges of the subnets in each availability zone; a subnet without a range is not created."
  type = map(object({
    public  = optional(string)
    private = optional(string)
    intra   = optional(string)
  }))
  validation {
    condition     = length(var.zones) > 0
    error_message = "At least one availability zone is required."
  }
  validation {
    condition     = alltrue([for zone in values(var.zones) : alltrue([for range in values(zone) : range == null || can(cidrnetmask(range))])])
    error_message = "Subnet ranges must be IPv4 ranges."
  }
}

variable "nat" {
  description = "NAT gateways through which private subnets reach the internet: none, single or per-zone."
  type        = string
  default     = "none"
  validation {
    condition     = contains(["none", "single", "per-zone"], var.nat)
    error_message = "nat must be none, single or per-zone."
  }
}

variable "owner" {
  description = "Entity that owns the resources. Each resource carries it as tags and is found by them."
  type = object({
    project = string
    entity  = string
  })
}

variable "tags" {
  description = "Additional tags for all resources."
  type        = map(string)
  default     = {}
  validation {
    condition     = alltrue([for key in keys(var.tags) : !startswith(key, "cloudwright:") && !startswith(key, "aws:")])
    error_message = "Tag keys must not start with cloudwright: or aws:, which are reserved."
  }
}
