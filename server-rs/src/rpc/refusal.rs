//! Describes why a call has no result (rules RPC-02, RPC-03 and RPC-05).

use crate::contract::VOCABULARY;
use crate::contract::vocabulary::RpcErrorSpec;
use crate::rpc::problem::Problem;

/// The errors of typed calls; `contract/vocabulary.json` explains each by its message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "said above")]
pub enum RpcError {
    ParseError,
    InvalidRequest,
    MethodNotFound,
    InvalidParams,
    ServerError,
}

impl RpcError {
    /// Returns its code and its message.
    pub fn spec(self) -> &'static RpcErrorSpec {
        let errors = &VOCABULARY.rpc_errors;
        match self {
            RpcError::ParseError => &errors.parse_error,
            RpcError::InvalidRequest => &errors.invalid_request,
            RpcError::MethodNotFound => &errors.method_not_found,
            RpcError::InvalidParams => &errors.invalid_params,
            RpcError::ServerError => &errors.server_error,
        }
    }
}

/// Reasons why a call has no result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// Its kind.
    pub error: RpcError,
    /// Further data, as JSON text.
    pub data: Option<String>,
}

impl From<RpcError> for Refusal {
    fn from(error: RpcError) -> Self {
        Self { error, data: None }
    }
}

/// Returns the refusal of invalid arguments (rule RPC-03).
pub fn refusal_of(problem: &Problem) -> Refusal {
    let data = serde_json::json!({"path": problem.path, "message": problem.message});
    Refusal { error: RpcError::InvalidParams, data: Some(data.to_string()) }
}
