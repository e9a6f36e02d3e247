package benchapp

// componentTemplate is a type of component in the plainest form: ten texts, of
// which two are required, five bounded numbers, three switches, two choices.
const componentTemplate = `package component

import (
	k "kumori.systems/kumori:kumori"
	«component/imports»
)

«component/top»
#Artifact: k.#Component & {
	ref: name: "‹type›"
	description: {
		srv: {
			server: http: port: «component/port=8080»
			«component/srv»
		}
		config: {
			parameter: {
				name:     string
				endpoint: string
				region:   *"eu-‹t›" | string
				zone:     *"a" | string
				bucket:   *"bucket-‹t›" | string
				queue:    *"jobs" | string
				topic:    *"events" | string
				prefix:   *"/api" | string
				owner:    *"team-‹t›" | string
				locale:   *"en_GB" | string
				workers:  *4 | (int & >=1 & <=64)
				timeout:  *3000 | (int & >=1 & <=60000)
				retries:  *3 | (int & >=0 & <=10)
				cache:    *256 | (int & >=0 & <=4096)
				batch:    *50 | (int & >=1 & <=1000)
				tracing:  *false | bool
				metrics:  *true | bool
				readOnly: *false | bool
				logLevel: *"info" | "debug" | "warn"
				mode:     *"fast" | "safe"
				«component/parameter»
			}
			scale: hsize: «component/hsize=*1 | uint»
			«component/config»
		}
		«component/description»
		code: main: {
			image: tag: «component/tag="example/‹type›:1.0.0"»
			«component/container»
			mapping: {
				env: {
					NAME: parameter:      "name"
					ENDPOINT: parameter:  "endpoint"
					REGION: parameter:    "region"
					ZONE: parameter:      "zone"
					BUCKET: parameter:    "bucket"
					QUEUE: parameter:     "queue"
					TOPIC: parameter:     "topic"
					PREFIX: parameter:    "prefix"
					OWNER: parameter:     "owner"
					LOCALE: parameter:    "locale"
					WORKERS: parameter:   "workers"
					TIMEOUT: parameter:   "timeout"
					RETRIES: parameter:   "retries"
					CACHE: parameter:     "cache"
					BATCH: parameter:     "batch"
					TRACING: parameter:   "tracing"
					METRICS: parameter:   "metrics"
					READ_ONLY: parameter: "readOnly"
					LOG_LEVEL: parameter: "logLevel"
					MODE: parameter:      "mode"
					«component/env»
				}
				filesystem: {
					"/etc/app/config.json": {
						data: value: {
							name:   config.parameter.name
							region: config.parameter.region
							pool: {workers: config.parameter.workers, timeout: config.parameter.timeout}
							log: level: config.parameter.logLevel
							tracing: config.parameter.tracing
							«component/data»
						}
						format: "json"
					}
					«component/files»
				}
			}
			size: «component/size={cpu: {size: 200, unit: "m"}, mincpu: 50, memory: {size: 64, unit: "M"}}»
		}
		size: «component/bandwidth={bandwidth: {size: 10, unit: "M"}, minbandwidth: 0}»
	}
}
«component/end»
`

// roleTemplate is a role in the plainest form.
const roleTemplate = `«role/before»
role: ‹role›: {
	artifact: «role/artifact=‹type›.#Artifact»
	config: {
		parameter: {
			name:     «role/name="‹role›"»
			endpoint: «role/endpoint="https://‹role›.example"»
			region:   «role/region="region-‹n›"»
			workers:  «role/workers=‹workers›»
			logLevel: «role/level=‹level›»
			«role/parameter»
		}
		«role/scale=scale: hsize: ‹hsize›»
		«role/config»
	}
	«role/body»
}
«role/after»
`

// serviceTemplate is the service of all roles.
const serviceTemplate = `package service

import (
	k "kumori.systems/kumori:kumori"
	«service/imports»
)

«service/top»
#Artifact: k.#Service & {
	ref: name: "bench"
	description: {
		srv: {
			«service/srv»
		}
		config: {
			parameter: {
				«service/parameter»
			}
			«service/config»
		}
		«service/description»
		«service/roles»
	}
}
«service/end»
`

// deploymentTemplate deploys the service.
const deploymentTemplate = `package deployment

import (
	k "kumori.systems/kumori:kumori"
	s "kumiki.example/bench/service@v1:service"
	«deploy/imports»
)

«deploy/top»
#Deployment: k.#Deployment & {
	name:     "bench"
	artifact: «deploy/artifact=s.#Artifact»
	config: {
		parameter: {
			«deploy/parameter»
		}
		«deploy/config»
	}
	«deploy/body»
}
«deploy/end»
`
