//! The built-in functions: their names, types and numbers of parameters.
//!
//! There are three kinds. [`Kind::Plain`] built-ins are visible to every program under their names. [`Kind::Parallel`] built-ins
//! are the parallel words, which a program that accelerates may not use as other names. [`Kind::External`] built-ins implement
//! `external` functions. The host computes them; the well-formedness rules determine which of them a device has.

/// The purpose of a built-in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Visible under its name.
    Plain,
    /// A parallel word.
    Parallel,
    /// The implementation of the external function of its name.
    External,
}

macro_rules! builtins {
    ($($variant:ident $name:literal $parameters:literal $kind:ident $ty:literal,)*) => {
        /// A built-in function or value.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
        #[allow(missing_docs)] // Each is described by its name and type.
        pub enum Builtin {
            $($variant,)*
        }

        /// All built-ins.
        pub const ALL: &[Builtin] = &[$(Builtin::$variant,)*];

        impl Builtin {
            /// Returns the name in programs.
            pub fn name(self) -> &'static str {
                match self { $(Builtin::$variant => $name,)* }
            }

            /// Returns the type, as text.
            pub fn ty(self) -> &'static str {
                match self { $(Builtin::$variant => $ty,)* }
            }

            /// Returns the number of arguments after which it computes something.
            pub fn parameters(self) -> usize {
                match self { $(Builtin::$variant => $parameters,)* }
            }

            /// Returns the purpose.
            pub fn kind(self) -> Kind {
                match self { $(Builtin::$variant => Kind::$kind,)* }
            }
        }
    };
}

builtins! {
    Addi "addi" 2 Plain "Int -> Int -> Int",
    Subi "subi" 2 Plain "Int -> Int -> Int",
    Muli "muli" 2 Plain "Int -> Int -> Int",
    Divi "divi" 2 Plain "Int -> Int -> Int",
    Modi "modi" 2 Plain "Int -> Int -> Int",
    Negi "negi" 1 Plain "Int -> Int",
    Lti "lti" 2 Plain "Int -> Int -> Bool",
    Leqi "leqi" 2 Plain "Int -> Int -> Bool",
    Gti "gti" 2 Plain "Int -> Int -> Bool",
    Geqi "geqi" 2 Plain "Int -> Int -> Bool",
    Eqi "eqi" 2 Plain "Int -> Int -> Bool",
    Neqi "neqi" 2 Plain "Int -> Int -> Bool",
    Slli "slli" 2 Plain "Int -> Int -> Int",
    Srli "srli" 2 Plain "Int -> Int -> Int",
    Srai "srai" 2 Plain "Int -> Int -> Int",
    Addf "addf" 2 Plain "Float -> Float -> Float",
    Subf "subf" 2 Plain "Float -> Float -> Float",
    Mulf "mulf" 2 Plain "Float -> Float -> Float",
    Divf "divf" 2 Plain "Float -> Float -> Float",
    Negf "negf" 1 Plain "Float -> Float",
    Ltf "ltf" 2 Plain "Float -> Float -> Bool",
    Leqf "leqf" 2 Plain "Float -> Float -> Bool",
    Gtf "gtf" 2 Plain "Float -> Float -> Bool",
    Geqf "geqf" 2 Plain "Float -> Float -> Bool",
    Eqf "eqf" 2 Plain "Float -> Float -> Bool",
    Neqf "neqf" 2 Plain "Float -> Float -> Bool",
    Floorfi "floorfi" 1 Plain "Float -> Int",
    Ceilfi "ceilfi" 1 Plain "Float -> Int",
    Roundfi "roundfi" 1 Plain "Float -> Int",
    IntToFloat "int2float" 1 Plain "Int -> Float",
    StringIsFloat "stringIsFloat" 1 Plain "String -> Bool",
    StringToFloat "string2float" 1 Plain "String -> Float",
    FloatToString "float2string" 1 Plain "Float -> String",
    Eqc "eqc" 2 Plain "Char -> Char -> Bool",
    CharToInt "char2int" 1 Plain "Char -> Int",
    IntToChar "int2char" 1 Plain "Int -> Char",
    Create "create" 2 Plain "all a. Int -> (Int -> a) -> [a]",
    CreateList "createList" 2 Plain "all a. Int -> (Int -> a) -> [a]",
    CreateRope "createRope" 2 Plain "all a. Int -> (Int -> a) -> [a]",
    IsList "isList" 1 Plain "all a. [a] -> Bool",
    IsRope "isRope" 1 Plain "all a. [a] -> Bool",
    Length "length" 1 Plain "all a. [a] -> Int",
    Concat "concat" 2 Plain "all a. [a] -> [a] -> [a]",
    Get "get" 2 Plain "all a. [a] -> Int -> a",
    Set "set" 3 Plain "all a. [a] -> Int -> a -> [a]",
    Cons "cons" 2 Plain "all a. a -> [a] -> [a]",
    Snoc "snoc" 2 Plain "all a. [a] -> a -> [a]",
    SplitAt "splitAt" 2 Plain "all a. [a] -> Int -> ([a], [a])",
    Reverse "reverse" 1 Plain "all a. [a] -> [a]",
    Head "head" 1 Plain "all a. [a] -> a",
    Tail "tail" 1 Plain "all a. [a] -> [a]",
    Null "null" 1 Plain "all a. [a] -> Bool",
    Subsequence "subsequence" 3 Plain "all a. [a] -> Int -> Int -> [a]",
    Map "map" 2 Plain "all a. all b. (a -> b) -> [a] -> [b]",
    Mapi "mapi" 2 Plain "all a. all b. (Int -> a -> b) -> [a] -> [b]",
    Iter "iter" 2 Plain "all a. (a -> ()) -> [a] -> ()",
    Iteri "iteri" 2 Plain "all a. (Int -> a -> ()) -> [a] -> ()",
    Foldl "foldl" 3 Plain "all a. all b. (a -> b -> a) -> a -> [b] -> a",
    Foldr "foldr" 3 Plain "all a. all b. (b -> a -> a) -> a -> [b] -> a",
    RandIntU "randIntU" 2 Plain "Int -> Int -> Int",
    RandSetSeed "randSetSeed" 1 Plain "Int -> ()",
    WallTimeMs "wallTimeMs" 1 Plain "() -> Float",
    SleepMs "sleepMs" 1 Plain "Int -> ()",
    Print "print" 1 Plain "String -> ()",
    PrintError "printError" 1 Plain "String -> ()",
    DPrint "dprint" 1 Plain "all a. a -> ()",
    FlushStdout "flushStdout" 1 Plain "() -> ()",
    FlushStderr "flushStderr" 1 Plain "() -> ()",
    ReadLine "readLine" 1 Plain "() -> String",
    ReadBytesAsString "readBytesAsString" 1 Plain "Int -> (String, String)",
    ReadFile "readFile" 1 Plain "String -> String",
    WriteFile "writeFile" 2 Plain "String -> String -> ()",
    FileExists "fileExists" 1 Plain "String -> Bool",
    DeleteFile "deleteFile" 1 Plain "String -> ()",
    Command "command" 1 Plain "String -> Int",
    Argv "argv" 0 Plain "[String]",
    Error "error" 1 Plain "all a. String -> a",
    Exit "exit" 1 Plain "all a. Int -> a",
    Ref "ref" 1 Plain "all a. a -> Ref a",
    Deref "deref" 1 Plain "all a. Ref a -> a",
    Modref "modref" 2 Plain "all a. Ref a -> a -> ()",
    Gensym "gensym" 1 Plain "() -> Symbol",
    Eqsym "eqsym" 2 Plain "Symbol -> Symbol -> Bool",
    SymToHash "sym2hash" 1 Plain "Symbol -> Int",
    ConstructorTag "constructorTag" 1 Plain "all a. a -> Int",
    UnsafeCoerce "unsafeCoerce" 1 Plain "all a. all b. a -> b",
    TensorCreateUninitInt "tensorCreateUninitInt" 1 Plain "[Int] -> Tensor[Int]",
    TensorCreateUninitFloat "tensorCreateUninitFloat" 1 Plain "[Int] -> Tensor[Float]",
    TensorCreateCArrayInt "tensorCreateCArrayInt" 2 Plain "[Int] -> ([Int] -> Int) -> Tensor[Int]",
    TensorCreateCArrayFloat "tensorCreateCArrayFloat" 2 Plain "[Int] -> ([Int] -> Float) -> Tensor[Float]",
    TensorCreateDense "tensorCreateDense" 2 Plain "all a. [Int] -> ([Int] -> a) -> Tensor[a]",
    TensorGet "tensorGetExn" 2 Plain "all a. Tensor[a] -> [Int] -> a",
    TensorSet "tensorSetExn" 3 Plain "all a. Tensor[a] -> [Int] -> a -> ()",
    TensorLinearGet "tensorLinearGetExn" 2 Plain "all a. Tensor[a] -> Int -> a",
    TensorLinearSet "tensorLinearSetExn" 3 Plain "all a. Tensor[a] -> Int -> a -> ()",
    TensorRank "tensorRank" 1 Plain "all a. Tensor[a] -> Int",
    TensorShape "tensorShape" 1 Plain "all a. Tensor[a] -> [Int]",
    TensorReshape "tensorReshapeExn" 2 Plain "all a. Tensor[a] -> [Int] -> Tensor[a]",
    TensorCopy "tensorCopy" 1 Plain "all a. Tensor[a] -> Tensor[a]",
    TensorTranspose "tensorTransposeExn" 3 Plain "all a. Tensor[a] -> Int -> Int -> Tensor[a]",
    TensorSlice "tensorSliceExn" 2 Plain "all a. Tensor[a] -> [Int] -> Tensor[a]",
    TensorSub "tensorSubExn" 3 Plain "all a. Tensor[a] -> Int -> Int -> Tensor[a]",
    TensorIterSlice "tensorIterSlice" 2 Plain "all a. (Int -> Tensor[a] -> ()) -> Tensor[a] -> ()",
    TensorEq "tensorEq" 3 Plain "all a. all b. (a -> b -> Bool) -> Tensor[a] -> Tensor[b] -> Bool",
    TensorToString "tensor2string" 2 Plain "all a. (a -> String) -> Tensor[a] -> String",
    ParallelMap "parallelMap" 2 Parallel "all a. all b. (a -> b) -> [a] -> [b]",
    Map2 "map2" 3 Parallel "all a. all b. all c. (a -> b -> c) -> [a] -> [b] -> [c]",
    Reduce "reduce" 3 Parallel "all a. (a -> a -> a) -> a -> [a] -> a",
    Flatten "flatten" 1 Parallel "all a. [[a]] -> [a]",
    Loop "loop" 2 Parallel "Int -> (Int -> ()) -> ()",
    SeqLoop "seqLoop" 2 Parallel "Int -> (Int -> ()) -> ()",
    SeqLoopAcc "seqLoopAcc" 3 Parallel "all a. a -> Int -> (a -> Int -> a) -> a",
    PrintFloat "printFloat" 1 Parallel "Float -> ()",
    InAccelerate "inAccelerate" 0 Plain "Bool",
    // Programs as data. For files and language fragments only the type exists.
    ParseExpr "bootParserParseMExprString" 3 Plain "(Bool,) -> [String] -> String -> BootParseTree",
    ParseCoreFile "bootParserParseMCoreFile" 3 Plain "(Bool, Bool, [String], Bool, Bool, Bool) -> [String] -> String -> BootParseTree",
    ParseLangString "bootParserParseMLangString" 1 Plain "String -> BootParseTree",
    ParseLangFile "bootParserParseMLangFile" 1 Plain "String -> BootParseTree",
    ParsedId "bootParserGetId" 1 Plain "BootParseTree -> Int",
    ParsedTerm "bootParserGetTerm" 2 Plain "BootParseTree -> Int -> BootParseTree",
    ParsedTop "bootParserGetTop" 2 Plain "BootParseTree -> Int -> BootParseTree",
    ParsedDecl "bootParserGetDecl" 2 Plain "BootParseTree -> Int -> BootParseTree",
    ParsedType "bootParserGetType" 2 Plain "BootParseTree -> Int -> BootParseTree",
    ParsedString "bootParserGetString" 2 Plain "BootParseTree -> Int -> String",
    ParsedInt "bootParserGetInt" 2 Plain "BootParseTree -> Int -> Int",
    ParsedFloat "bootParserGetFloat" 2 Plain "BootParseTree -> Int -> Float",
    ParsedLength "bootParserGetListLength" 2 Plain "BootParseTree -> Int -> Int",
    ParsedConst "bootParserGetConst" 2 Plain "BootParseTree -> Int -> BootParseTree",
    ParsedPat "bootParserGetPat" 2 Plain "BootParseTree -> Int -> BootParseTree",
    ParsedInfo "bootParserGetInfo" 2 Plain "BootParseTree -> Int -> BootParseTree",
    // The type is that of the inlined text. The second argument tells the host that the function is used there.
    InlineFuthark "inlineFuthark" 2 Plain "all a. String -> a",
    ExternalExp "externalExp" 1 External "Float -> Float",
    ExternalLog "externalLog" 1 External "Float -> Float",
    ExternalAtan "externalAtan" 1 External "Float -> Float",
    ExternalSin "externalSin" 1 External "Float -> Float",
    ExternalCos "externalCos" 1 External "Float -> Float",
    ExternalAtan2 "externalAtan2" 2 External "Float -> Float -> Float",
    ExternalPow "externalPow" 2 External "Float -> Float -> Float",
    ExternalSqrt "externalSqrt" 1 External "Float -> Float",
    ExternalLogGamma "externalLogGamma" 1 External "Float -> Float",
    ExternalLogCombination "externalLogCombination" 2 External "Int -> Int -> Float",
    ExternalGaussianSample "externalGaussianSample" 2 External "Float -> Float -> Float",
    ExternalGammaLogPdf "externalGammaLogPdf" 3 External "Float -> Float -> Float -> Float",
    ExternalGammaSample "externalGammaSample" 2 External "Float -> Float -> Float",
    ExternalBinomialLogPmf "externalBinomialLogPmf" 3 External "Int -> Float -> Int -> Float",
    ExternalBinomialSample "externalBinomialSample" 2 External "Float -> Int -> Int",
    ExternalBetaLogPdf "externalBetaLogPdf" 3 External "Float -> Float -> Float -> Float",
    ExternalBetaSample "externalBetaSample" 2 External "Float -> Float -> Float",
    ExternalGaussianLogPdf "externalGaussianLogPdf" 3 External "Float -> Float -> Float -> Float",
    ExternalMultinomialLogPmf "externalMultinomialLogPmf" 2 External "[Int] -> [Float] -> Float",
    ExternalMultinomialSample "externalMultinomialSample" 2 External "Int -> [Float] -> [Int]",
    ExternalCategoricalSample "externalCategoricalSample" 1 External "[Float] -> Int",
    ExternalDirichletLogPdf "externalDirichletLogPdf" 2 External "[Float] -> [Float] -> Float",
    ExternalDirichletSample "externalDirichletSample" 1 External "[Float] -> [Float]",
    ExternalUniformContinuousSample "externalUniformContinuousSample" 2 External "Float -> Float -> Float",
    ExternalUniformDiscreteSample "externalUniformDiscreteSample" 2 External "Int -> Int -> Int",
    ExternalExponentialSample "externalExponentialSample" 1 External "Float -> Float",
    ExternalLomaxLogPdf "externalLomaxLogPdf" 3 External "Float -> Float -> Float -> Float",
    ExternalLomaxSample "externalLomaxSample" 2 External "Float -> Float -> Float",
    ExternalSetSeed "externalSetSeed" 1 External "Int -> ()",
    // Channels are numbers here; the program's own types distinguish them.
    FileSize "fileSize" 1 External "String -> Int",
    WriteOpen "writeOpen" 1 External "String -> (Int, Bool)",
    WriteString "writeString" 2 External "Int -> String -> ()",
    WriteFlush "writeFlush" 1 External "Int -> ()",
    WriteClose "writeClose" 1 External "Int -> ()",
    ReadOpen "readOpen" 1 External "String -> (Int, Bool)",
    ReadChannelLine "readLine" 1 External "Int -> (String, Bool)",
    ReadString "readString" 1 External "Int -> String",
    ReadClose "readClose" 1 External "Int -> ()",
    Stdin "stdin" 0 External "Int",
    Stdout "stdout" 0 External "Int",
    Stderr "stderr" 0 External "Int",
    // Arrays are tensors of one dimension here.
    ArrayCreateFloat "arrayCreateFloat" 1 External "Int -> Tensor[Float]",
    ArrayLength "arrayLength" 1 External "all a. Tensor[a] -> Int",
}

impl Builtin {
    /// Returns the implementation of an external function.
    pub fn external(name: &str) -> Option<Builtin> {
        let same = match name {
            "fileExists" => return Some(Builtin::FileExists),
            "deleteFile" => return Some(Builtin::DeleteFile),
            "arrayGet" | "cArray1Get" => return Some(Builtin::TensorLinearGet),
            "arraySet" | "cArray1Set" => return Some(Builtin::TensorLinearSet),
            "cArray1CreateFloat" => "arrayCreateFloat",
            "cArray1Dim" => "arrayLength",
            name => name,
        };
        ALL.iter().copied().find(|builtin| builtin.kind() == Kind::External && builtin.name() == same)
    }
}
