//! The functions of a library: their declarations in the header, and the runtime functions that they forward to.
//!
//! ```text
//! int futhark_entry_mvm(struct futhark_context *ctx, struct futhark_f32_1d **out0, const struct futhark_f32_2d *in0, ...)
//! calls warpwise_call(ctx, 0, out0, {in0, ...})
//! ```
//!
//! Names and orders of parameters are Futhark's, so that programs written for Futhark's libraries compile with ours.

use warpwise_standalone::interface::{
    EntryInterface, Field, Interface, Kind, NamedType, SumVariant, TypeRef,
};

use crate::api::Api;
use crate::c_types::{input, output, scalar, sizes};
use crate::function::Argument::{Int, Param, Places, Program, Size, Sizes};
use crate::function::{Body, Declared, Function, int, pointer, void, word};

/// Functions of a library's types.
pub struct Functions<'i> {
    interface: &'i Interface,
    /// Functions made so far.
    made: Vec<Function>,
}

/// Generates the header.
pub fn header(interface: &Interface, api: Api) -> String {
    let declared = |functions: Vec<Function>| -> String {
        functions.iter().map(|function| format!("{};\n", function.signature())).collect()
    };
    let structs: String =
        api.types(interface).map(|(_, ty)| format!("struct futhark_{};\n", ty.c_name)).collect();
    format!(
        "{HEAD}\n// Configuration and context\n\n{}\n// Arrays and opaque values\n\n{structs}\n{}\n// Entry points\n\n{}{TAIL}",
        declared(surroundings()),
        declared(values(interface, api)),
        declared(entries(interface, api)),
    )
}

/// Returns all functions.
pub fn all(interface: &Interface, api: Api) -> Vec<Function> {
    surroundings().into_iter().chain(values(interface, api)).chain(entries(interface, api)).collect()
}

const HEAD: &str = "#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern \"C\" {
#endif

#define FUTHARK_BACKEND_multicore
#define FUTHARK_SUCCESS 0
#define FUTHARK_PROGRAM_ERROR 2
#define FUTHARK_OUT_OF_MEMORY 3

struct futhark_context_config;
struct futhark_context;
";

const TAIL: &str = "
#ifdef __cplusplus
}
#endif
";

/// Returns the functions for configurations and contexts, which are the same for every program.
fn surroundings() -> Vec<Function> {
    let config = || pointer("struct futhark_context_config *cfg");
    let set = |name: &str, value: &str, what: i32| {
        let params = vec![config(), int(&format!("int {value}"))];
        let call = Body::Call("warpwise_config_set", vec![Param(0), Int(what), Param(1)]);
        function(void(), format!("futhark_context_config_set_{name}"), params, call)
    };
    let profile = |name: &str, on: i32| {
        let call = Body::Call("warpwise_context_profile", vec![Param(0), Int(on)]);
        function(void(), format!("futhark_context_{name}_profiling"), vec![context()], call)
    };
    let of_config = |result, name: &str, more: Vec<Declared>, to| {
        let params = [vec![config()], more].concat();
        Function::forward(result, format!("futhark_context_config_{name}"), params, to)
    };
    let of_context = |result, name: &str, more: Vec<Declared>, to| {
        let params = [vec![context()], more].concat();
        Function::forward(result, format!("futhark_context_{name}"), params, to)
    };
    vec![
        function(
            pointer("struct futhark_context_config *"),
            "futhark_context_config_new".into(),
            vec![],
            Body::Call("warpwise_config_new", vec![Program]),
        ),
        of_config(void(), "free", vec![], "warpwise_config_free"),
        set("debugging", "flag", 0),
        set("profiling", "flag", 1),
        set("logging", "flag", 2),
        set("num_threads", "n", 3),
        of_config(
            void(),
            "set_memory_limit",
            vec![word("uint64_t bytes")],
            "warpwise_config_set_memory_limit",
        ),
        function(
            void(),
            "futhark_context_config_set_cache_file".into(),
            vec![config(), pointer("const char *fname")],
            Body::Nothing,
        ),
        of_config(
            int("int"),
            "set_tuning_param",
            vec![pointer("const char *param_name"), word("size_t new_value")],
            "warpwise_config_set_tuning_param",
        ),
        function(
            int("int"),
            "futhark_get_tuning_param_count".into(),
            vec![],
            Body::Call("warpwise_tuning_parameter_count", vec![Program]),
        ),
        function(
            pointer("const char *"),
            "futhark_get_tuning_param_name".into(),
            vec![int("int i")],
            Body::Call("warpwise_tuning_parameter_name", vec![Program, Param(0)]),
        ),
        function(
            pointer("const char *"),
            "futhark_get_tuning_param_class".into(),
            vec![int("int i")],
            Body::Text("threshold"),
        ),
        Function::forward(
            pointer("struct futhark_context *"),
            "futhark_context_new",
            vec![config()],
            "warpwise_context_new",
        ),
        of_context(void(), "free", vec![], "warpwise_context_free"),
        function(int("int"), "futhark_context_sync".into(), vec![context()], Body::Nothing),
        // Not part of Futhark's interface. Ends a call from another thread or a signal handler.
        of_context(void(), "cancel", vec![], "warpwise_context_cancel"),
        of_context(pointer("char *"), "get_error", vec![], "warpwise_context_get_error"),
        of_context(void(), "set_logging_file", vec![pointer("FILE *f")], "warpwise_context_set_logging_file"),
        profile("pause", 0),
        profile("unpause", 1),
        of_context(pointer("char *"), "report", vec![], "warpwise_context_report"),
        of_context(int("int"), "clear_caches", vec![], "warpwise_context_clear_caches"),
    ]
}

fn values(interface: &Interface, api: Api) -> Vec<Function> {
    let mut functions = Functions { interface, made: Vec::new() };
    for (number, ty) in api.types(interface) {
        functions.of_type(number, ty);
    }
    functions.made
}

fn entries(interface: &Interface, api: Api) -> Vec<Function> {
    let entries = interface.entries.iter().enumerate();
    entries.map(|(number, entry)| call(interface, api, number, entry)).collect()
}

fn call(interface: &Interface, api: Api, number: usize, entry: &EntryInterface) -> Function {
    let results = api.results(entry);
    let mut params = vec![context()];
    params.extend(
        results.iter().enumerate().map(|(i, result)| output(interface, result.ty, &format!("out{i}"))),
    );
    let first = params.len();
    let inputs = entry.inputs.iter().enumerate();
    params.extend(inputs.map(|(i, param)| input(interface, param.ty, &format!("in{i}"))));
    let inputs = Places(first..params.len());
    let body = match results.len() {
        1 => Body::Call("warpwise_call", vec![Param(0), Size(number), Param(1), inputs]),
        count => {
            let given = vec![Param(0), Size(number), Size(count), Places(1..first), inputs];
            Body::Call("warpwise_call_apart", given)
        }
    };
    function(int("int"), format!("futhark_entry_{}", entry.c_name), params, body)
}

impl Functions<'_> {
    fn of_type(&mut self, number: usize, ty: &NamedType) {
        let (name, handle) = (&ty.c_name, format!("struct futhark_{}", ty.c_name));
        match &ty.kind {
            Kind::Array { element, rank } => {
                self.array(number, name, &handle, scalar(*element), *rank);
                self.indexing(name, &handle, TypeRef::Scalar(*element), *rank);
                self.forward("int", format!("free_{name}"), [format!("{handle} *arr")], "warpwise_free");
                return;
            }
            Kind::Record(fields) => {
                self.projections(name, &handle, fields);
                self.assemble(format!("new_{name}"), number, &handle, fields);
            }
            Kind::Sum(variants) => self.sum(number, name, &handle, variants),
            Kind::OpaqueArray { element, rank, fields } => {
                if let Some(fields) = fields {
                    self.projections(name, &handle, fields);
                    self.assemble(format!("zip_{name}"), number, &handle, fields);
                }
                self.indexing(name, &handle, *element, *rank);
                self.opaque_array(number, name, &handle, *element, *rank);
            }
        }
        self.bytes(number, name, &handle);
        self.forward("int", format!("free_{name}"), [format!("{handle} *obj")], "warpwise_free");
    }

    fn array(&mut self, number: usize, name: &str, handle: &str, element: &str, rank: usize) {
        for (form, data) in
            [("new", format!("const {element} *data")), ("new_raw", "unsigned char *data".into())]
        {
            self.add(
                pointer(format!("{handle} *")),
                format!("{form}_{name}"),
                [pointer(data)].into_iter().chain(sizes(rank, "dim")),
                Body::Call("warpwise_new_array", vec![Param(0), Size(number), Param(1), Sizes(2..2 + rank)]),
            );
        }
        let data = [format!("{handle} *arr"), format!("{element} *data")];
        self.forward("int", format!("values_{name}"), data, "warpwise_values");
        let array = [format!("{handle} *arr")];
        self.forward("unsigned char *", format!("values_raw_{name}"), array, "warpwise_values_raw");
    }

    /// Adds the functions for elements and sizes of any array.
    fn indexing(&mut self, name: &str, handle: &str, element: TypeRef, rank: usize) {
        let params = [output(self.interface, element, "out"), pointer(format!("{handle} *arr"))];
        self.add(
            int("int"),
            format!("index_{name}"),
            params.into_iter().chain(sizes(rank, "i")),
            Body::Call("warpwise_index", vec![Param(0), Param(1), Param(2), Sizes(3..3 + rank)]),
        );
        let array = [format!("{handle} *arr")];
        self.forward("const int64_t *", format!("shape_{name}"), array, "warpwise_shape");
    }

    fn opaque_array(&mut self, number: usize, name: &str, handle: &str, element: TypeRef, rank: usize) {
        let TypeRef::Named(of) = element else { return };
        let of = format!("struct futhark_{}", self.interface.types[of].c_name);
        let params = [format!("{handle} *arr"), format!("{of} *elem")].map(pointer);
        self.add(
            int("int"),
            format!("set_{name}"),
            params.into_iter().chain(sizes(rank, "i")),
            Body::Call("warpwise_set", vec![Param(0), Param(1), Param(2), Sizes(3..3 + rank)]),
        );
        let params = [format!("{handle} **out"), format!("{of} **elems")].map(pointer);
        let given = vec![Param(0), Param(1), Size(number), Param(2), Sizes(3..3 + rank)];
        self.add(
            int("int"),
            format!("new_{name}"),
            params.into_iter().chain(sizes(rank, "dim")),
            Body::Call("warpwise_new_opaque_array", given),
        );
    }

    fn projections(&mut self, name: &str, handle: &str, fields: &[Field]) {
        for (number, field) in fields.iter().enumerate() {
            let params = [output(self.interface, field.ty, "out"), pointer(format!("const {handle} *obj"))];
            self.add(
                int("int"),
                format!("project_{name}_{}", field.c_name),
                params,
                Body::Call("warpwise_project", vec![Param(0), Param(1), Param(2), Size(number)]),
            );
        }
    }

    fn assemble(&mut self, name: String, number: usize, handle: &str, fields: &[Field]) {
        let mut params = vec![pointer(format!("{handle} **out"))];
        let field_of = |field: &Field| input(self.interface, field.ty, &format!("f_{}", field.c_name));
        params.extend(fields.iter().map(field_of));
        let given = vec![Param(0), Param(1), Size(number), Places(2..2 + fields.len())];
        self.add(int("int"), name, params, Body::Call("warpwise_assemble", given));
    }

    fn sum(&mut self, number: usize, name: &str, handle: &str, variants: &[SumVariant]) {
        for (position, variant) in variants.iter().enumerate() {
            let count = variant.payload.len();
            let payload: Vec<(TypeRef, String)> =
                variant.payload.iter().enumerate().map(|(i, (ty, _))| (*ty, format!("v{i}"))).collect();
            let mut params = vec![pointer(format!("{handle} **out"))];
            params.extend(payload.iter().map(|(ty, name)| input(self.interface, *ty, name)));
            let given = vec![Param(0), Param(1), Size(number), Size(position), Places(2..2 + count)];
            self.add(
                int("int"),
                format!("new_{name}_{}", variant.c_name),
                params,
                Body::Call("warpwise_construct", given),
            );
            let mut params: Vec<Declared> =
                payload.iter().map(|(ty, name)| output(self.interface, *ty, name)).collect();
            params.push(pointer(format!("const {handle} *obj")));
            let given = vec![Param(0), Places(1..1 + count), Param(1 + count), Size(position)];
            self.add(
                int("int"),
                format!("destruct_{name}_{}", variant.c_name),
                params,
                Body::Call("warpwise_destruct", given),
            );
        }
        self.forward("int", format!("variant_{name}"), [format!("const {handle} *v")], "warpwise_variant");
    }

    /// Adds the functions that convert values to and from bytes.
    fn bytes(&mut self, number: usize, name: &str, handle: &str) {
        let params = [format!("const {handle} *obj"), "void **p".to_string(), "size_t *n".to_string()];
        self.forward("int", format!("store_{name}"), params, "warpwise_store");
        self.add(
            pointer(format!("{handle} *")),
            format!("restore_{name}"),
            [pointer("const void *p")],
            Body::Call("warpwise_restore", vec![Param(0), Size(number), Param(1)]),
        );
    }

    /// Adds a function of a context and pointers, all of which are forwarded unchanged.
    fn forward<const N: usize>(&mut self, result: &str, name: String, params: [String; N], to: &'static str) {
        let result = if result == "int" { int(result) } else { pointer(result) };
        let params = [context()].into_iter().chain(params.map(pointer)).collect();
        self.made.push(Function::forward(result, format!("futhark_{name}"), params, to));
    }

    /// Adds a function of a context and these parameters.
    fn add(
        &mut self,
        result: Declared,
        name: String,
        params: impl IntoIterator<Item = Declared>,
        body: Body,
    ) {
        let params = [context()].into_iter().chain(params).collect();
        self.made.push(function(result, format!("futhark_{name}"), params, body));
    }
}

fn context() -> Declared {
    pointer("struct futhark_context *ctx")
}

fn function(result: Declared, name: String, params: Vec<Declared>, body: Body) -> Function {
    Function { name, result, params, body }
}
