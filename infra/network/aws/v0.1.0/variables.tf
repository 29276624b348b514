variable "name" {
  description = "Name of the network; what is made carries it."
  type        = string
  validation {
    condition     = can(regex("^[a-z][a-z0-9-]{0,62}$", var.name))
    error_message = "The name has lower-case letters, digits and hyphens, at most 63."
  }
}

variable "region" {
  description = "Region of the network."
  type        = string
  validation {
    condition     = can(regex("^[a-z]{2}(-[a-z]+)+-[0-9]+$", var.region))
    error_message = "The region is written as eu-west-1."
  }
}

variable "cidr" {
  description = "Address range of the whole network."
  type        = string
  validation {
    condition     = can(cidrnetmask(var.cidr)) && try(tonumber(split("/", var.cidr)[1]) >= 16 && tonumber(split("/", var.cidr)[1]) <= 28, false)
    error_message = "The range is IPv4, with a prefix of 16 to 28."
  }
}

variable "zones" {
  description = "The address ranges of each availability zone's subnets; a range that is left out has no subnet."
  type = map(object({
    public  = optional(string)
    private = optional(string)
    intra   = optional(string)
  }))
  validation {
    condition     = length(var.zones) > 0
    error_message = "A network needs a zone."
  }
  validation {
    condition     = alltrue([for zone in values(var.zones) : alltrue([for range in values(zone) : range == null || can(cidrnetmask(range))])])
    error_message = "The ranges of subnets are IPv4 ranges."
  }
}

variable "nat" {
  description = "How private subnets reach the internet."
  type        = string
  default     = "none"
  validation {
    condition     = contains(["none", "single", "per-zone"], var.nat)
    error_message = "NAT is none, single or per-zone."
  }
}

variable "owner" {
  description = "Whom this belongs to: everything is tagged with it, and found by it."
  type = object({
    project = string
    entity  = string
  })
}

variable "tags" {
  description = "Tags of the user's own."
  type        = map(string)
  default     = {}
  validation {
    condition     = alltrue([for key in keys(var.tags) : !startswith(key, "cloudwright:") && !startswith(key, "aws:")])
    error_message = "Tags that begin with cloudwright: or aws: are not the user's own."
  }
}
