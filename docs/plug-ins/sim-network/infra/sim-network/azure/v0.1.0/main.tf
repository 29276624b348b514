terraform {
  required_version = ">= 1.9"
  required_providers {
    sim = {
      source  = "cloudwright/sim"
      version = "~> 1.0"
    }
  }
}

variable "name" {
  description = "Name of the network."
  type        = string
}

variable "cidr" {
  description = "Address range of the network."
  type        = string
}

variable "entity" {
  description = "Uid of the entity that owns the network."
  type        = string
}

resource "sim_network" "this" {
  name   = var.name
  cidr   = var.cidr
  labels = { "cloudwright:entity" = var.entity }
}

output "network_id" {
  description = "Id of the network."
  value       = sim_network.this.id
}
